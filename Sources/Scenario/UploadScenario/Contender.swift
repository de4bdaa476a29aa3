import Dispatch

/// Receives the end of a job.
public typealias Completion = Callback<Publication>

/// The edition of the contract below. Records of different editions are not compared, since contenders did other work.
public enum ContenderContract {
  /// Counted from 1.
  public static let edition = 2
}

/// One idiom's implementation of every pattern.
///
/// The entry is callback-style for every idiom; async code pays a task for it, and an object for each request that can be
/// cancelled (`swift-concurrency/native-async` shows how much). Every pattern meets the same requirements:
/// - The completion is called exactly once, on any thread, and never before the job is decided.
/// - Receipts reach `createPost` and the `Publication` in the order of the post's media files, whatever the order in which the
///   uploads finish.
/// - The completion gets the first failure. Then no post is created, no further upload starts, and those in flight are
///   cancelled before the completion is called.
/// - Cancelling the returned handle does the same with `CancellationError`, and does nothing once the job has ended. It also
///   ends every wait: for a hedge delay, a backoff, a place in a buffer.
/// - Nothing outlives the job: once the completion was called and the service has answered the cancelled uploads, no task,
///   thread, timer, closure or coroutine of the job is left, and the completion is released. A preparation or read that is
///   under way when the job stops may end after the completion; its result is not used.
/// - A limit is never exceeded, and is used: as many uploads are in flight as it allows.
/// - No lock is held while the service or the completion is called.
/// - A post without media files goes straight to `createPost`.
/// - Only `resilient` retries: neither a preparation nor a read, nor the post, is requested twice.
///
/// The idiom chooses on which of its threads it computes, reads, blocks and beats. Where the service calls completions is the
/// scenario's `context`, a wrapper that `start` puts around the service.
public protocol Contender: PatternWriter {
  /// The name on the command line and in every report, such as `gcd-groups`; a variant's has a slash:
  /// `gcd-groups/semaphore`.
  var name: String { get }
  /// The idiom in one line.
  var summary: String { get }
  /// The patterns that it is measured in: all, except for a `PartialContender`.
  var patterns: [Pattern] { get }

  /// The requirements that it is known to break; none by default.
  var brokenRequirements: [BrokenRequirement] { get }

  /// Whether the system keeps what a cancelled timer holds until the timer's time, as it does for `Task.sleep`; such memory
  /// does not count as a leak.
  var keepsCancelledTimers: Bool { get }

  /// How many uploads it has in flight within a moment, where each blocks a thread of a pool; nil: as many as requested.
  var mostInFlight: Int? { get }
}

extension Contender {
  public var patterns: [Pattern] { Pattern.allCases }
  public var keepsCancelledTimers: Bool { false }
  public var mostInFlight: Int? { nil }

  public var brokenRequirements: [BrokenRequirement] { [] }

  /// Whether it implements the pattern and breaks no requirement that the scenario depends on.
  public func writes(_ scenario: Scenario) -> Bool {
    patterns.contains(scenario.pattern) && reasonToAbstain(from: scenario) == nil
  }

  /// Why it cannot do the scenario's work: the reason of a broken requirement; nil: it can.
  public func reasonToAbstain(from scenario: Scenario) -> String? {
    brokenRequirements.first {
      $0.patterns.contains(scenario.pattern) && $0.rules.contains(where: scenario.isAbout(requirement:))
    }?.reason
  }

  /// Starts the scenario's pattern, without the posts that it is started behind. An invalid scenario fails with
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
  /// Whether the scenario's work depends on the requirement.
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

/// A requirement that a contender breaks because of its idiom.
///
/// `bench verify` and the tests still check it, and fail if it is kept after all. The contender is left out of scenarios that
/// depend on it.
public struct BrokenRequirement: Sendable, Hashable {
  /// The conformance kit's rules that may find it.
  public let rules: [String]
  /// The patterns in which it is broken.
  public let patterns: [Pattern]
  /// Why, as a clause.
  public let reason: String

  /// Declares that at least one of the rules is broken in each pattern.
  public init(_ rules: String..., in patterns: [Pattern], because reason: String) {
    (self.rules, self.patterns, self.reason) = (rules, patterns, reason)
  }
}

/// A contender of some patterns: another common form of an idiom, or your own.
///
/// Declare `patterns`, and implement those. The others fail with `PatternNotWritten`, and are never measured.
public protocol PartialContender: Contender {}

/// A partial contender was started in a pattern that it does not implement.
public struct PatternNotWritten: Error, Sendable, Hashable, CustomStringConvertible {
  /// The contender's name.
  public let contender: String

  public var description: String { "\(contender) does not write this pattern" }
}

extension PartialContender {
  func refuse(_ completion: Completion) -> any Cancellable {
    completion(.failure(PatternNotWritten(contender: name)))
    return NothingToCancel()
  }
}

/// The handle of a job that ended before it began.
final class NothingToCancel: Cancellable {
  func cancel() {}
}

/// How users know a contender.
public struct Idiom: Sendable, Equatable {
  /// Who ships the idiom, and so must be trusted.
  public enum Shipper: String, Sendable, CaseIterable {
    /// Comes with Swift, or is made only of what does.
    case toolchain
    /// One of this package's libraries.
    case package = "this package"
    /// Code that articles teach.
    case textbook
    /// Another author's package.
    case thirdParty = "third party"
  }

  /// The contender's name; a variant's has it before the slash.
  public let contender: String
  /// Its users' name for it, in at most 14 letters.
  public let name: String
  /// Who ships it.
  public let shipper: Shipper
  /// What it does for each upload of a `publish`, as a clause without its subject; nil: unknown.
  public let perUpload: String?

  /// Describes a contender.
  public init(_ contender: String, _ name: String, _ shipper: Shipper, perUpload: String? = nil) {
    (self.contender, self.name, self.shipper, self.perUpload) = (contender, name, shipper, perUpload)
  }
}

extension [Idiom] {
  /// The idiom of a contender or variant; nil: unknown.
  public func of(_ contender: String) -> Idiom? {
    first { idiom in
      contender == idiom.contender || contender.hasPrefix(idiom.contender + "/")
    }
  }
}

/// Where the service calls completions: one wrapper around it, the same for every contender.
public enum CompletionContext: String, Sendable, Hashable, Codable, CaseIterable {
  /// On the service's own thread, without a wrapper.
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

  /// The queue for one post's completions; nil for `inline`.
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

  /// Wraps the service for one post; nil for `inline`.
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
