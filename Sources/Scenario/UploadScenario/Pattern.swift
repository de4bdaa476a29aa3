/// The shape of the concurrent job.
public enum Pattern: String, Sendable, Hashable, Codable, CaseIterable {
  /// All uploads at once, or at most K in flight, then the post.
  case publish
  /// One upload after another, then the post.
  case sequence
  /// Three lookups of three types at once, then the post that needs all three.
  case zip
  /// The same lookups one after another: what `zip` gains.
  case zipSerial = "zip-serial"
  /// For each media file: prepare, ask for a URL, upload there; then the post.
  case presigned
  /// One large media file in chunks through a bounded buffer, then the post.
  case stream
  /// Each media file to two mirrors, the second after a delay; the first success wins.
  case race
  /// Uploads with deadlines and further attempts.
  case resilient
  /// Uploads that block their thread.
  case blocking
}

extension Pattern {
  /// All that is known of the pattern but its code.
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
          "each media file: --prepare passes over its bytes, ask for a URL, upload there; then the post",
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

/// What every pattern asks of a contender. The promises that all of them keep are ``Contender``'s.
public protocol PatternWriter: Sendable {
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

/// What a contender does with a pattern that it does not write.
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
}
