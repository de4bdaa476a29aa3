/// The shape of the concurrent job.
public enum Pattern: String, Sendable, Hashable, Codable, CaseIterable {
  /// All uploads at once, or at most K in flight, then the post.
  case publish
  /// One upload after another, then the post.
  case sequence
  /// Three lookups of three types at once, then the post that needs all three.
  case zip
  /// The same lookups one after another, to compare with `zip`.
  case zipSerial = "zip-serial"
  /// For each media file: prepare it, request a URL, upload there; then the post.
  case presigned
  /// One large media file in chunks through a bounded buffer, then the post.
  case stream
  /// Each media file to two mirrors, the second after a delay; the first success wins.
  case race
  /// Uploads with deadlines and retries.
  case resilient
  /// Uploads that block their thread.
  case blocking
}

extension Pattern {
  /// The properties of the pattern.
  public var descriptor: Descriptor {
    switch self {
    case .publish:
      Descriptor(
        summary: "all media files at once, or at most --limit in flight, then the post", width: .limit)
    case .sequence:
      Descriptor(summary: "one media file after another, then the post", width: .one)
    case .zip:
      Descriptor(
        summary: "three lookups of three types at once, then the post that needs all three", unit: .lookup)
    case .zipSerial:
      Descriptor(
        summary: "the same three lookups one after another, then the post", unit: .lookup, width: .one)
    case .presigned:
      Descriptor(
        summary:
          "each media file: --prepare passes over its bytes, request a URL, upload there; then the post",
        width: .limit, requests: .urlThenUpload)
    case .stream:
      Descriptor(
        summary: "one media file in chunks of --chunk through a --buffer to --uploaders, then the post",
        unit: .chunk, width: .uploaders)
    case .race:
      Descriptor(
        summary: "each media file to two mirrors, the second after --hedge; the first success wins",
        requests: .mirrors)
    case .resilient:
      Descriptor(
        summary: "all media files, each with --attempts and an --attempt-timeout, all within a --deadline",
        requests: .attempts)
    case .blocking:
      Descriptor(
        summary: "uploads that block their thread, all at once or at most --limit, then the post",
        width: .limit, blocksThreads: true)
    }
  }
}

/// The functions of all patterns. The requirements that all share are ``Contender``'s.
public protocol PatternWriter: Sendable {
  /// Uploads all media files at once, or at most `limit` (1 or more) at a time, then creates the post.
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

  /// For each media file: prepares it on a processor, requests a URL, uploads there; then creates the post.
  ///
  /// At most `limit` (1 or more; nil: all) media files are between the start of their preparation and the end of their upload.
  /// Preparations run off the calling thread; those of a post of higher priority run first where the idiom and the system can
  /// do so, which is measured and not required. Every requirement holds at every priority.
  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads one media file in chunks, then creates the post from their receipts, in order.
  ///
  /// One producer reads the chunks, at most `uploaders` (1 or more) uploads take them, and `buffer` (0 or more) lie between.
  /// The producer waits when the buffer is full, so at most `buffer + uploaders` chunks exist at any moment, the one that the
  /// producer holds included. A buffer of 0 is a rendezvous, with the producer's chunk in addition. Reading runs off the
  /// calling thread.
  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads every media file, all at once, to the first of two mirrors that accepts it; then creates the post.
  ///
  /// The request to the primary mirror starts at once, that to the secondary after `hedgeDelay` unless the primary has accepted
  /// the media file by then: never early, and at most as late as a busy machine's timers. With a delay of zero, both start at
  /// once, except that neither is needed once the other has succeeded. The first success wins and the other upload is
  /// cancelled; the post need not wait for its answer. A failed primary does not start the secondary early. If both fail, so
  /// does the job, with `RaceFailure`.
  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media files at once, each with as many attempts as the policy allows, then creates the post with one attempt.
  ///
  /// An attempt that exceeds `policy.attemptDeadline` is cancelled and counts as failed with `AttemptTimedOut`. Before attempt
  /// n + 1 the upload waits for `policy.backoff(afterAttempt: n, of:)`. An error that is not `RetryPolicy.isTransient`, or that
  /// of the last attempt, ends the job at once. Once `policy.deadline` has passed since the start, the job ends with
  /// `DeadlineExceeded`, whatever it is doing; a post in flight is cancelled.
  func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media files with `uploadBlocking`, at most `limit` (1 or more) at a time, then creates the post.
  ///
  /// A blocked call cannot be cancelled: after a failure or a cancellation the completion may come before or after the last
  /// call returns. Without a limit the idiom chooses the number of threads.
  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable

  /// Calls `beat` about every `interval` until cancelled, as a repeated task of this idiom runs beside its other work: on the
  /// same kind of threads, with the same timers.
  ///
  /// Beats do not overlap. None begins once `cancel` has returned, except one that is being called.
  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable
}

/// The patterns that a partial contender does not implement.
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

  /// Never beats: a contender in `blocking` implements its own.
  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    NothingToCancel()
  }
}
