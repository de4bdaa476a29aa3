/// Work that can be cancelled.
public protocol Cancellable: AnyObject, Sendable {
  /// Requests that the work stop, and returns immediately.
  ///
  /// Any thread may call this, any number of times, before, during or after the end of the work. The work still
  /// calls its completion exactly once: with `CancellationError`, or with its result if that came first.
  func cancel()
}

/// A callback that receives a result, on the thread that produced the result.
public typealias Callback<Value> = @Sendable (Result<Value, any Error>) -> Void

/// A service that performs uploads, with a callback-style API like real SDKs.
///
/// `perform` and `createPost` start their work and return a handle; any thread may call them. The service calls each completion
/// exactly once, on a thread of its own and never inside the requesting call, possibly before the caller has stored the handle.
/// A cancelled request ends with `CancellationError`, or with its result if that came first. The service frees a chunk
/// (`Chunk.giveBack`) before it calls the completion, and releases the completion after the call.
public protocol UploadService: Sendable {
  /// Performs one request. Fails with `UploadFailure` or `LookupFailure`, or with `CancellationError` after `cancel`.
  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable

  /// Creates the post from the receipts of its media files, which must be in the order of the media files.
  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable

  /// Uploads one media file, and blocks the calling thread until the upload has ended. Cannot be cancelled. Fails with
  /// `UploadFailure`.
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

  /// Uploads one chunk, and frees its buffer before the completion. Fails like `upload(_:completion:)`, with the chunk's index
  /// as the error's `mediaIndex`.
  public func upload(_ chunk: Chunk, completion: @escaping Callback<Receipt>) -> any Cancellable {
    perform(.uploadChunk(chunk), completion: completion)
  }
}

/// A service with async functions. It answers in the caller's task. Cancelling that task cancels the request.
///
/// Only Swift Concurrency can call such a service, so contenders are compared with the callback-style `UploadService`.
public protocol AsyncUploadService: Sendable {
  /// Performs one request.
  func perform(_ request: Request) async throws -> Receipt

  /// Creates the post from the receipts of its media files, which must be in the order of the media files.
  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication
}
