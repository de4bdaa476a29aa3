/// Work that can be cancelled.
public protocol Cancellable: AnyObject, Sendable {
  /// Requests that the work stop, and returns immediately. Any thread may call this at any time, any number of times.
  ///
  /// The work still calls its completion once: with `CancellationError`, or with its result if that came first.
  func cancel()
}

/// A callback that receives a result on the thread that produced it.
public typealias Callback<Value> = @Sendable (Result<Value, any Error>) -> Void

/// A service that performs uploads, with a callback-style API like real SDKs. Any thread may call it.
///
/// The service calls each completion once, on its own thread, perhaps before the requesting call returns. A cancelled request
/// ends with `CancellationError`, or with its result if that came first. The service frees a chunk before it calls the
/// completion, and releases the completion after the call.
public protocol UploadService: Sendable {
  /// Performs one request. Fails with `UploadFailure` or `LookupFailure`, or with `CancellationError` after `cancel`.
  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable

  /// Creates the post from the receipts of its media files, which must be in the order of the media files.
  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable

  /// Uploads one media file while the calling thread is blocked. Cannot be cancelled. Fails with `UploadFailure`.
  func uploadBlocking(_ media: Media) throws -> Receipt

  /// Prepares a media file for upload, which computes on the calling thread. Fails with `FileError`.
  func prepare(_ media: Media) throws -> PreparedMedia

  /// Opens a media file for upload in chunks. Fails with `FileError`.
  func chunks(of media: Media) throws -> ChunkReader
}

extension UploadService {
  /// Uploads one media file. Fails with `UploadFailure`, or with `CancellationError` after `cancel`.
  public func upload(_ media: Media, completion: @escaping Callback<Receipt>) -> any Cancellable {
    perform(.upload(media), completion: completion)
  }

  /// Uploads one media file to a mirror. Fails like `upload(_:completion:)`.
  public func upload(
    _ media: Media, to mirror: Mirror, completion: @escaping Callback<Receipt>
  ) -> any Cancellable {
    perform(.uploadToMirror(media, mirror), completion: completion)
  }

  /// Requests the URL for a prepared media file. Fails like `upload(_:completion:)`.
  public func issueURL(
    for prepared: PreparedMedia, completion: @escaping Callback<UploadURL>
  ) -> any Cancellable {
    perform(.issueURL(prepared)) { completion($0.map { UploadURL(token: $0.checksum) }) }
  }

  /// Uploads a prepared media file to the URL issued for it. Fails like `upload(_:completion:)`.
  public func upload(
    _ prepared: PreparedMedia, to url: UploadURL, completion: @escaping Callback<Receipt>
  ) -> any Cancellable {
    perform(.uploadTo(url, prepared), completion: completion)
  }

  /// Uploads one chunk. Fails like `upload(_:completion:)`, with the chunk's index as the error's `mediaIndex`.
  public func upload(_ chunk: Chunk, completion: @escaping Callback<Receipt>) -> any Cancellable {
    perform(.uploadChunk(chunk), completion: completion)
  }
}

/// A service that answers in the caller's task. Only Swift Concurrency can call it, so comparisons use an `UploadService`.
public protocol AsyncUploadService: Sendable {
  /// Performs one request.
  func perform(_ request: Request) async throws -> Receipt

  /// Creates the post from the receipts of its media files, which must be in the order of the media files.
  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication
}
