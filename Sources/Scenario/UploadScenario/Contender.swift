/// How a contender reports the end of a job.
public typealias Completion = Callback<Publication>

/// One idiom's way of writing every pattern.
///
/// The entry is callback-style for everyone; async code pays a task for it, and an object for each request that can be
/// cancelled (`swift-concurrency/native-async` shows how much). Every pattern keeps the same promises:
/// - The completion is called exactly once, on any thread, never before the call's work is decided.
/// - Receipts reach `createPost` and the `Publication` in the order of the post's media, whatever the order in
///   which the uploads finish.
/// - The first failure wins and is what the completion gets. No post is created, uploads not yet started never
///   start, and those in flight are cancelled before the completion is called.
/// - Cancelling the returned handle does the same with `CancellationError`; it does nothing once the job ended.
///   It cuts short every wait, too: for a hedge delay, a backoff, a place in a buffer.
/// - Nothing outlives the job: once the completion was called and the service has answered the cancelled
///   uploads, no task, thread, timer, closure or coroutine of it is left, and the completion itself is let go. A handle that is held
///   on to keeps no chunk, and of each upload its receipt at most. A preparation or a read that is under way when the job is told to
///   stop may end after the completion; nothing is made of it.
/// - On a queue or a pool (`context`) nothing of the job is done on the thread that gives an answer, before that returns, unless
///   the contender `goesOnInAnswers`.
/// - On which of its own threads a contender computes, reads, blocks and beats, which contexts it can, and how many calls block at
///   once below their limit, is for the idiom to say.
/// - No lock is held while the service or the completion is called.
/// - A post without media files goes straight to `createPost`.
/// - What fails is tried again by `resilient` alone: neither a preparation nor a read, nor the post, is asked for twice.
public protocol Contender: PatternWriter {
  /// The name on the command line and in every report, such as `gcd-groups`; a variant's has a slash:
  /// `gcd-groups/work-items`.
  var name: String { get }
  /// What the idiom is, in one line.
  var summary: String { get }
  /// The patterns that it is measured in: all, but for a `PartialContender`.
  var patterns: [Pattern] { get }
  /// Where its completions run: where its users have them unless they ask for something else. Nil: it has not said.
  var context: CompletionContext? { get }

  /// Whether the system keeps what a cancelled timer of the idiom holds until its time, as it does of `Task.sleep`: nobody can let go
  /// of that, so what piles up of it is not counted.
  var keepsCancelledTimers: Bool { get }

  /// Whether, on a queue or a pool, the thread that gives an answer may itself take the next step of the job, such as the upload
  /// after its URL or the cancellation of the others, rather than leave that to the queue or the pool.
  var goesOnInAnswers: Bool { get }

  /// How many uploads it gets in flight at once within a moment, where each blocks one of a pool's threads; nil: as many as are
  /// asked for.
  var mostInFlight: Int? { get }

  /// The same idiom with its completions there, as its community would write it; nil where the idiom cannot.
  ///
  /// In its own context it is itself. Called once for many jobs: what must live long, such as a queue, is made here.
  func on(_ context: CompletionContext) -> (any Contender)?
}

extension Contender {
  public var patterns: [Pattern] { Pattern.allCases }
  public var context: CompletionContext? { nil }
  public var keepsCancelledTimers: Bool { false }
  public var goesOnInAnswers: Bool { false }
  public var mostInFlight: Int? { nil }

  public func on(_ context: CompletionContext) -> (any Contender)? { context == self.context ? self : nil }

  /// What it is called in another context: its own name where its users are by default, else with `@` and the context.
  public func name(in context: CompletionContext?) -> String {
    context?.name(of: name, usually: self.context) ?? name
  }

  /// Whether it takes part in the scenario: it writes the pattern, and its idiom can in the scenario's context.
  public func writes(_ scenario: Scenario) -> Bool {
    patterns.contains(scenario.pattern) && scenario.context.map { on($0) != nil } ?? true
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
    return switch scenario.pattern {
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
