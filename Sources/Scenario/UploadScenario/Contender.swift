import Dispatch

/// A callback that receives the result of a job.
public typealias Completion = Callback<Publication>

/// The edition of the requirements of ``Contender``.
public enum ContenderContract {
  /// The current edition, from 1. Runs of different editions are not compared, because the work differs.
  public static let edition = 2
}

/// One idiom's implementation of every pattern.
///
/// All methods have callbacks, so async code needs a task for each job and a handle for each request. Every pattern meets the
/// same requirements:
/// - The completion is called exactly once, on any thread, and never before the outcome of the job is certain.
/// - `createPost` and the `Publication` get the receipts in the order of the post's media files, whatever the order in which
///   the uploads finish.
/// - The completion gets the first failure. Then no post is created, no further upload starts, and uploads in flight are
///   cancelled before the completion is called.
/// - Cancelling the returned handle does the same with `CancellationError`, and does nothing after the job has ended. It also
///   ends every wait: for a hedge delay, a backoff or a place in a buffer.
/// - Nothing outlives the job: after the completion was called and the service has answered the cancelled uploads, no task,
///   thread, timer, closure or coroutine of the job is left, and the completion is released. A preparation or read that is
///   running when the job stops may end after the completion; its result is not used.
/// - As many uploads are in flight as the limit allows, and never more.
/// - No lock is held while the service or the completion is called.
/// - A post without media files goes straight to `createPost`.
/// - Only `resilient` retries, and it retries only uploads: no preparation, read or post is requested twice.
///
/// The idiom chooses the threads for computing, reading, blocking calls and `heartbeat`. The service calls completions on the
/// thread or queue of the scenario's `context`.
public protocol Contender: PatternWriter {
  /// The name on the command line and in reports, such as `gcd-groups`. A variant's name has a slash: `gcd-groups/semaphore`.
  var name: String { get }
  /// A description of the idiom in one line.
  var summary: String { get }
  /// The patterns in which the contender is measured: all, except for a `PartialContender`.
  var patterns: [Pattern] { get }

  /// The requirements that the contender is known to break. By default there are none.
  var brokenRequirements: [BrokenRequirement] { get }

  /// Whether cancelled timers retain memory until they would fire, like `Task.sleep`. Such memory does not count as a leak.
  var keepsCancelledTimers: Bool { get }

  /// The largest number of uploads in flight if each blocks a thread of a pool. `nil` means as many as requested.
  var mostInFlight: Int? { get }
}

extension Contender {
  public var patterns: [Pattern] { Pattern.allCases }
  public var keepsCancelledTimers: Bool { false }
  public var mostInFlight: Int? { nil }

  public var brokenRequirements: [BrokenRequirement] { [] }

  /// Whether the contender implements the scenario's pattern and breaks no requirement that the scenario depends on.
  public func writes(_ scenario: Scenario) -> Bool {
    patterns.contains(scenario.pattern) && reasonToAbstain(from: scenario) == nil
  }

  /// The reason of a broken requirement that the scenario's work depends on, or `nil` if there is none.
  public func reasonToAbstain(from scenario: Scenario) -> String? {
    brokenRequirements.first {
      $0.patterns.contains(scenario.pattern) && $0.rules.contains(where: scenario.isAbout(requirement:))
    }?.reason
  }

  /// Starts the scenario's pattern for one post. An invalid scenario fails with `InvalidScenario`.
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
/// `bench verify` fails if the contender meets the requirement after all. Scenarios that depend on it leave the contender out.
public struct BrokenRequirement: Sendable, Hashable {
  /// The names of rules, at least one of which is broken.
  public let rules: [String]
  /// The patterns in which the requirement is broken.
  public let patterns: [Pattern]
  /// The reason, as a clause.
  public let reason: String

  /// Declares that at least one of the rules is broken in each of the patterns.
  public init(_ rules: String..., in patterns: [Pattern], because reason: String) {
    (self.rules, self.patterns, self.reason) = (rules, patterns, reason)
  }
}

/// A contender that implements only the patterns in `patterns`. All others fail with `PatternNotWritten` and are never measured.
public protocol PartialContender: Contender {}

/// The error of a contender that does not implement the pattern.
public struct PatternNotWritten: Error, Sendable, Hashable, CustomStringConvertible {
  /// The contender's name.
  public let contender: String

  public var description: String { "\(contender) does not implement this pattern" }
}

extension PartialContender {
  func refuse(_ completion: Completion) -> any Cancellable {
    completion(.failure(PatternNotWritten(contender: name)))
    return NothingToCancel()
  }
}

/// The handle of a job that has failed before its start.
final class NothingToCancel: Cancellable {
  func cancel() {}
}

/// A description of a contender for users.
public struct Idiom: Sendable, Equatable {
  /// The source of the idiom's code, which users must trust.
  public enum Shipper: String, Sendable, CaseIterable {
    /// The idiom comes with Swift, or uses only what comes with Swift.
    case toolchain
    /// The idiom is one of this package's libraries.
    case package = "this package"
    /// The idiom is code that articles teach.
    case textbook
    /// The idiom is another author's package.
    case thirdParty = "third party"
  }

  /// The contender's name, which is also the part of a variant's name before the slash.
  public let contender: String
  /// The name by which users know the idiom, at most 14 letters.
  public let name: String
  /// The source of the idiom's code.
  public let shipper: Shipper
  /// What the idiom does for each upload of `publish`, as a clause without a subject. `nil` if unknown.
  public let perUpload: String?

  /// Creates a description.
  public init(_ contender: String, _ name: String, _ shipper: Shipper, perUpload: String? = nil) {
    (self.contender, self.name, self.shipper, self.perUpload) = (contender, name, shipper, perUpload)
  }
}

extension [Idiom] {
  /// The idiom of a contender or variant, or `nil` if unknown.
  public func of(_ contender: String) -> Idiom? {
    first { idiom in
      contender == idiom.contender || contender.hasPrefix(idiom.contender + "/")
    }
  }
}

/// The thread or queue on which the service calls completions, the same for every contender.
public enum CompletionContext: String, Sendable, Hashable, Codable, CaseIterable {
  /// Completions run on the service's own thread.
  case inline
  /// Completions run on a serial queue for each post.
  case queue
  /// Completions run on the system's concurrent queue.
  case pool

  /// A description for `bench list`.
  public var summary: String {
    switch self {
    case .inline: "on the service's thread"
    case .queue: "on a serial queue for each post"
    case .pool: "on the system's concurrent queue"
    }
  }

  fileprivate func makeQueue() -> DispatchQueue? {
    switch self {
    case .inline: nil
    // Without a target queue, a serial queue may use a thread in addition to those of the pool.
    case .queue: DispatchQueue(label: "completions", target: .global())
    case .pool: .global()
    }
  }
}

/// A service whose completions are called on a queue.
struct QueuedService<Base: UploadService>: UploadService {
  private let base: Base
  private let queue: DispatchQueue

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
