/// A kind of concurrent job.
public enum Pattern: String, Sendable, Hashable, Codable, CaseIterable {
  /// All uploads start at the same time, or at most `limit` are in flight. Then the post is created.
  case publish
  /// One upload starts after another, then the post is created.
  case sequence
  /// Three lookups of three types start at the same time, then the post is created from all three.
  case zip
  /// The lookups of `zip` start one after another, for comparison.
  case zipSerial = "zip-serial"
  /// Each media file is prepared, a URL is requested, and the file is uploaded to the URL. Then the post is created.
  case presigned
  /// One large media file is uploaded in chunks through a bounded buffer, then the post is created.
  case stream
  /// Each media file is uploaded to two mirrors, the second after a delay. The first success wins.
  case race
  /// Uploads have deadlines and are retried.
  case resilient
  /// Each upload blocks its thread.
  case blocking

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

/// The functions that implement the patterns. ``Contender`` lists the requirements of all of them.
public protocol PatternWriter: Sendable {
  /// Uploads all media files concurrently, or at most `limit` (1 or more) at a time, then creates the post.
  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads one media file after another, in order, then creates the post.
  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable

  /// Looks up author, place and audience concurrently, then creates the post from all three.
  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable

  /// Looks up author, place and audience one after another, then creates the post from all three.
  func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable

  /// Prepares each media file, requests a URL for it and uploads it to that URL; then creates the post.
  ///
  /// At most `limit` (1 or more; `nil` means all) media files are between the start of their preparation and the end of their
  /// upload. Preparations do not run on the calling thread. If the idiom and the system support priorities, posts of higher
  /// priority should be prepared first; this is measured but not required. All requirements hold at every priority.
  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads one media file in chunks, then creates the post from their receipts, in order.
  ///
  /// One producer reads the chunks, a buffer holds at most `buffer` (0 or more) of them, and at most `uploaders` (1 or more)
  /// uploads take them. The producer waits while the buffer is full: at most `buffer + uploaders` chunks exist at a time,
  /// including the producer's. With a buffer of 0 (a rendezvous), the producer's chunk exists in addition. Chunks are not read
  /// on the calling thread.
  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media files concurrently, each to whichever of two mirrors accepts it first, then creates the post.
  ///
  /// The request to the primary mirror starts immediately. The request to the secondary starts `hedgeDelay` later, never
  /// earlier, unless the primary has accepted the media file by then. With a delay of zero, both start immediately, but a
  /// request need not start if the other has already succeeded. The first success wins and the other upload is cancelled; the
  /// post need not wait for its answer. A failed primary does not start the secondary early. If both fail, the job fails with
  /// `RaceFailure`.
  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media files concurrently, with as many attempts as the policy allows. The post gets only one attempt.
  ///
  /// An attempt that exceeds `policy.attemptDeadline` is cancelled and fails with `AttemptTimedOut`. Before attempt n + 1 the
  /// upload waits for `policy.backoff(afterAttempt: n, of:)`. An error that is not `RetryPolicy.isTransient`, or the error of
  /// the last attempt, ends the job immediately. When `policy.deadline` has passed since the start, the job ends with
  /// `DeadlineExceeded` and cancels all requests, including the one to create the post.
  func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads all media files with `uploadBlocking`, at most `limit` (1 or more) at a time, then creates the post.
  ///
  /// A blocking call cannot be cancelled. After a failure or a cancellation, the completion may be called before or after the
  /// last call returns. Without a limit, the idiom chooses the number of threads.
  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable

  /// Calls `beat` about every `interval` until cancelled, on the threads and with the timers that the idiom uses for its other
  /// work.
  ///
  /// Calls of `beat` do not overlap. After `cancel` has returned, no call begins, but one may still be running.
  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable
}

/// The default implementations of patterns, which fail. A partial contender uses them for the patterns that it lacks.
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

  /// Never calls `beat`. A contender that implements `blocking` must also implement this method.
  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    NothingToCancel()
  }
}
