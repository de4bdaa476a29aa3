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
