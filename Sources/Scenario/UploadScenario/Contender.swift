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
public protocol Contender: Sendable {
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

  /// The same idiom with its completions there, as its community would write it; nil where the idiom cannot.
  ///
  /// In its own context it is itself. Called once for many jobs: what must live long, such as a queue, is made here.
  func on(_ context: CompletionContext) -> (any Contender)?

  /// Uploads all media at once, or at most `limit` (1 or more) at any moment, then creates the post.
  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads one media file after another, in order, then creates the post.
  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable

  /// Looks up author, place and audience at once, then creates the post from all three.
  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable

  /// Looks up author, place and audience one after another, then creates the post from all three.
  func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable

  /// For each media file: prepares it, which is work for the processor, asks for a URL, uploads there; then creates the post.
  ///
  /// At most `limit` (1 or more; nil: all) media are anywhere between the begin of their preparation and the end of
  /// their upload. Preparations run off the calling thread, those of a post of a higher priority before those of a lower
  /// one where the idiom can and the system lets it: how much that is, is measured, and no promise. Every promise holds at
  /// every priority.
  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads one media file in chunks, then creates the post from the receipts of its chunks, in their order.
  ///
  /// One producer reads the chunks, at most `uploaders` (1 or more) uploads take them, and `buffer` (0 or more) lie
  /// between. A producer waits when the buffer is full, so no more than `buffer + uploaders` chunks exist at any
  /// moment: the one that the producer has in hand counts as one of the buffer's. A buffer of 0 is a rendezvous, and
  /// the one in the producer's hand comes on top. Reading runs off the calling thread.
  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads every media file, all at once, to the first of two mirrors that takes it; then creates the post.
  ///
  /// The primary mirror is asked at once, the secondary after `hedgeDelay` unless the primary has taken the media by
  /// then. If the delay is zero, both are asked at once, and neither need be once the other has taken the media. The
  /// first success wins and the other upload is cancelled; it need not have answered before the post is created. A primary that fails
  /// does not bring the secondary forward. It is never asked early, and as late as a busy machine's timers are. If both
  /// fail, so does the job, with `RaceFailure`.
  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media at once, each with as many attempts as the policy allows, then creates the post with one attempt.
  ///
  /// An attempt that takes longer than `policy.attemptDeadline` is cancelled and counts as failed with
  /// `AttemptTimedOut`. Before attempt n + 1 it waits for `policy.backoff(afterAttempt: n, of:)`. An error that is not
  /// `RetryPolicy.isTransient` ends the job at once, and so does the last attempt's. Once `policy.deadline` has passed
  /// since the start, the job ends with `DeadlineExceeded`, whatever it was at; if that was the post, it is cancelled.
  func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media with `uploadBlocking`, at most `limit` (1 or more) at any moment, then creates the post.
  ///
  /// What is blocked cannot be cancelled: after a failure or a cancellation the completion may come before or after the
  /// last one has returned. Without a limit it is for the idiom to say how many threads it takes.
  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable

  /// Calls `beat` about every `interval`, until it is cancelled, as a repeated task of this idiom would run beside its
  /// other work: on threads of the same kind, with the same timers.
  ///
  /// Beats do not overlap. None begins once `cancel` has returned, but for one that is being called then.
  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable
}

extension Contender {
  public var patterns: [Pattern] { Pattern.allCases }
  public var context: CompletionContext? { nil }
  public var keepsCancelledTimers: Bool { false }
  public var goesOnInAnswers: Bool { false }

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
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable { refuse(completion) }

  /// No beat at all: whoever is measured in `blocking` writes its own.
  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    NothingToCancel()
  }

  private func refuse(_ completion: Completion) -> any Cancellable {
    completion(.failure(PatternNotWritten(contender: name)))
    return NothingToCancel()
  }
}

/// The handle of what is over before it began.
final class NothingToCancel: Cancellable {
  func cancel() {}
}
