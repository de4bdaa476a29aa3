import Dispatch

/// How a contender reports the end of a job.
public typealias Completion = Callback<Publication>

/// The edition of the contract below. Records of another edition are not compared: contenders did other work then.
public enum ContenderContract {
  /// Counted from 1.
  public static let edition = 2
}

/// One idiom's way of writing every pattern.
///
/// The entry is callback-style for every idiom; async code pays a task for it, and an object for each request that can be
/// cancelled (`swift-concurrency/native-async` shows how much). Every pattern meets the same requirements:
/// - The completion is called exactly once, on any thread, never before the job is decided.
/// - Receipts reach `createPost` and the `Publication` in the order of the post's media, whatever the order in
///   which the uploads finish.
/// - The first failure is what the completion gets. No post is created, uploads not yet started never start, and those in
///   flight are cancelled before the completion is called.
/// - Cancelling the returned handle does the same with `CancellationError`; it does nothing once the job has ended.
///   It cuts every wait short, too: for a hedge delay, a backoff, a place in a buffer.
/// - Nothing outlives the job: once the completion was called and the service has answered the cancelled uploads, no task,
///   thread, timer, closure or coroutine of it is left, and the completion itself is released. A preparation or a read that
///   is under way when the job stops may end after the completion; its result is not used.
/// - A limit is never exceeded, and is used: as many uploads are in flight as it allows.
/// - No lock is held while the service or the completion is called.
/// - A post without media files goes straight to `createPost`.
/// - Only `resilient` tries again: neither a preparation nor a read, nor the post, is requested twice.
///
/// On which of its own threads a contender computes, reads, blocks and beats is for the idiom to say. Where the service calls
/// completions is the scenario's `context`, a wrapper that `start` puts around the service.
public protocol Contender: PatternWriter {
  /// The name on the command line and in every report, such as `gcd-groups`; a variant's has a slash:
  /// `gcd-groups/semaphore`.
  var name: String { get }
  /// What the idiom is, in one line.
  var summary: String { get }
  /// The patterns that it is measured in: all, but for a `PartialContender`.
  var patterns: [Pattern] { get }

  /// The requirements of the contract that it is known to break; none, unless it says so.
  var brokenRequirements: [BrokenRequirement] { get }

  /// Whether the system keeps what a cancelled timer of the idiom holds until its time, as it does of `Task.sleep`: nobody can let go
  /// of that, so what piles up of it is not counted.
  var keepsCancelledTimers: Bool { get }

  /// How many uploads it gets in flight at once within a moment, where each blocks one of a pool's threads; nil: as many as are
  /// asked for.
  var mostInFlight: Int? { get }
}

extension Contender {
  public var patterns: [Pattern] { Pattern.allCases }
  public var keepsCancelledTimers: Bool { false }
  public var mostInFlight: Int? { nil }

  public var brokenRequirements: [BrokenRequirement] { [] }

  /// Whether it implements the scenario's pattern, and breaks no requirement that the scenario is about.
  public func writes(_ scenario: Scenario) -> Bool {
    patterns.contains(scenario.pattern) && reasonToAbstain(from: scenario) == nil
  }

  /// Which requirement that the scenario is about it breaks, and why; nil: none.
  public func reasonToAbstain(from scenario: Scenario) -> String? {
    brokenRequirements.first {
      $0.patterns.contains(scenario.pattern) && $0.rules.contains(where: scenario.isAbout(requirement:))
    }?.reason
  }

  /// Starts the scenario's pattern, and nothing of what it is started behind. A scenario that makes no sense is refused with
  /// `InvalidScenario`.
  public func start(
    _ scenario: Scenario, post: Post, service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    if let problem = scenario.problem {
      completion(.failure(problem))
      return NothingToCancel()
    }
    guard let queued = QueuedService(service, scenario.context) else {
      return startPattern(scenario, post, service, completion)
    }
    return startPattern(scenario, post, queued, completion)
  }

  private func startPattern(
    _ scenario: Scenario, _ post: Post, _ service: some UploadService, _ completion: @escaping Completion
  ) -> any Cancellable {
    switch scenario.pattern {
    case .publish: publish(post, to: service, limit: scenario.limit, completion: completion)
    case .sequence: sequence(post, to: service, completion: completion)
    case .zip: zip(post, on: service, completion: completion)
    case .zipSerial: zipSerial(post, on: service, completion: completion)
    case .presigned:
      presigned(post, to: service, limit: scenario.limit, priority: scenario.priority, completion: completion)
    case .stream:
      stream(
        post.media[0], of: post, to: service, buffer: scenario.bufferCapacity, uploaders: scenario.uploaders,
        completion: completion)
    case .race: race(post, to: service, hedgeDelay: scenario.hedgeDelay, completion: completion)
    case .resilient: resilient(post, to: service, policy: scenario.retry, completion: completion)
    case .blocking: blocking(post, to: service, limit: scenario.limit, completion: completion)
    }
  }
}

extension Scenario {
  /// Whether only a contender that keeps the requirement does the scenario's work.
  fileprivate func isAbout(requirement rule: String) -> Bool {
    switch rule {
    case "limit": limit != nil
    case "cancellation": cancelAfter != nil
    case "first-failure", "in-flight-cancelled": !faults.isEmpty
    case "empty-post": fanOut == 0
    default: false
    }
  }
}

/// What a contender breaks of the contract because of what it is written in.
///
/// `bench verify` and the tests still ask for it. They fail if anything else is broken, and if this holds after all. A scenario that
/// is about it is not for the contender.
public struct BrokenRequirement: Sendable, Hashable {
  /// The names of the conformance kit's rules under which it may come to light.
  public let rules: [String]
  /// Where it breaks them.
  public let patterns: [Pattern]
  /// Why, as a clause.
  public let reason: String

  /// At least one of the rules is broken in each of the patterns.
  public init(_ rules: String..., in patterns: [Pattern], because reason: String) {
    (self.rules, self.patterns, self.reason) = (rules, patterns, reason)
  }
}

/// A contender of some patterns only: another common spelling of an idiom, or one of your own.
///
/// State `patterns`, and write those. The others fail with `PatternNotWritten`; nobody asks for them.
public protocol PartialContender: Contender {}

/// A partial contender was asked for a pattern that it is not measured in.
public struct PatternNotWritten: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the contender that was asked.
  public let contender: String

  public var description: String { "\(contender) does not write this pattern" }
}

extension PartialContender {
  func refuse(_ completion: Completion) -> any Cancellable {
    completion(.failure(PatternNotWritten(contender: name)))
    return NothingToCancel()
  }
}

/// The handle of what is over before it began.
final class NothingToCancel: Cancellable {
  func cancel() {}
}

/// What a contender is to those who use it.
public struct Idiom: Sendable, Equatable {
  /// Who has to be trusted, and added to a project, for it.
  public enum Shipper: String, Sendable, CaseIterable {
    /// It comes with Swift, or is made of nothing but what does.
    case toolchain
    /// One of this package's libraries.
    case package = "this package"
    /// The shapes that articles teach.
    case textbook
    /// A package of somebody else.
    case thirdParty = "third party"
  }

  /// Its name among the contenders; variants share it up to their slash.
  public let contender: String
  /// What its users call it, in at most 14 letters.
  public let name: String
  /// Who ships it.
  public let shipper: Shipper
  /// What it does for each upload of a `publish`, as a clause without its subject; nil: nobody has said.
  public let perUpload: String?

  /// That of a contender, by the name its users know, who ships it, and what it does for each upload.
  public init(_ contender: String, _ name: String, _ shipper: Shipper, perUpload: String? = nil) {
    (self.contender, self.name, self.shipper, self.perUpload) = (contender, name, shipper, perUpload)
  }
}

extension [Idiom] {
  /// That of a contender or a variant; nil if nobody has said.
  public func of(_ contender: String) -> Idiom? {
    first { idiom in
      contender == idiom.contender || contender.hasPrefix(idiom.contender + "/")
    }
  }
}

/// Where a service calls completions: one wrapper around the service, the same for every contender.
public enum CompletionContext: String, Sendable, Hashable, Codable, CaseIterable {
  /// On the service's own thread, as it calls them without a wrapper.
  case inline
  /// On a serial queue, one for each post.
  case queue
  /// On the system's concurrent queue.
  case pool

  /// A line for `bench list`.
  public var summary: String {
    switch self {
    case .inline: "on the service's thread"
    case .queue: "on a serial queue for each post"
    case .pool: "on the system's concurrent queue"
    }
  }

  /// The queue of one post's completions; nil for `inline`.
  fileprivate func makeQueue() -> DispatchQueue? {
    switch self {
    case .inline: nil
    // Without a target, a serial queue takes a thread beyond those of the pool.
    case .queue: DispatchQueue(label: "completions", target: .global())
    case .pool: .global()
    }
  }
}

/// A service whose completions are called on a queue.
struct QueuedService<Base: UploadService>: UploadService {
  private let base: Base
  private let queue: DispatchQueue

  /// For one post; nil for `inline`, which needs no wrapper.
  init?(_ base: Base, _ context: CompletionContext?) {
    guard let queue = context?.makeQueue() else { return nil }
    (self.base, self.queue) = (base, queue)
  }

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    base.perform(request) { [queue] result in queue.async { completion(result) } }
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    base.createPost(post, receipts: receipts) { [queue] result in queue.async { completion(result) } }
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try base.uploadBlocking(media) }
  func prepare(_ media: Media) throws -> PreparedMedia { try base.prepare(media) }
  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }
}
