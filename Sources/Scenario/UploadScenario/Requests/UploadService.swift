/// Something under way that can be told to stop.
public protocol Cancellable: AnyObject, Sendable {
  /// Asks for the work to stop and returns at once.
  ///
  /// Any thread may call it, any number of times, before, during or after the end of the work. The work still
  /// calls its completion exactly once: with `CancellationError`, or with its result if that came first.
  func cancel()
}

/// Receives how something ended, on the thread where that is known.
public typealias Callback<Value> = @Sendable (Result<Value, any Error>) -> Void

/// What media are uploaded to: callback-style, as real SDKs are.
///
/// `perform` and `createPost` start their work and return a handle. The service calls each completion exactly once, on a
/// thread of its own and never inside the call that asked; it may do so before the caller has stored the handle. A request
/// that was cancelled answers with `CancellationError`, or with its result if that came first. Any thread may call. The
/// service releases a completion once it has called it, and frees a chunk (`Chunk.giveBack`) before that.
public protocol UploadService: Sendable {
  /// Does one thing that the post needs.
  ///
  /// Fails with `UploadFailure` or `LookupFailure`, or with `CancellationError` if it was cancelled.
  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable

  /// Creates the post from the receipts of its media, in the order of its media.
  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable

  /// Uploads one media file and returns when it has arrived: the calling thread is blocked meanwhile, and nothing can
  /// cancel it.
  ///
  /// Fails with `UploadFailure`.
  func uploadBlocking(_ media: Media) throws -> Receipt

  /// Makes a media file ready to be uploaded: work for the processor, done on the calling thread.
  ///
  /// Fails with `FileError`.
  func prepare(_ media: Media) throws -> PreparedMedia

  /// Opens a media file to be uploaded in chunks.
  ///
  /// Fails with `FileError`.
  func chunks(of media: Media) throws -> ChunkReader
}

extension UploadService {
  /// Uploads one media file. Fails with `UploadFailure`, or with `CancellationError` if it was cancelled.
  public func upload(_ media: Media, completion: @escaping Callback<Receipt>) -> any Cancellable {
    perform(.upload(media), completion: completion)
  }

  /// Uploads one media file to one of two places. Fails as `upload(_:completion:)`.
  public func upload(
    _ media: Media, to mirror: Mirror, completion: @escaping Callback<Receipt>
  ) -> any Cancellable {
    perform(.uploadToMirror(media, mirror), completion: completion)
  }

  /// Asks where a prepared media may be uploaded to. Fails as `upload(_:completion:)`.
  public func issueURL(
    for prepared: PreparedMedia, completion: @escaping Callback<UploadURL>
  ) -> any Cancellable {
    perform(.issueURL(prepared)) { completion($0.map { UploadURL(token: $0.checksum) }) }
  }

  /// Uploads a prepared media to the URL that was issued for it, and no other. Fails as `upload(_:completion:)`.
  public func upload(
    _ prepared: PreparedMedia, to url: UploadURL, completion: @escaping Callback<Receipt>
  ) -> any Cancellable {
    perform(.uploadTo(url, prepared), completion: completion)
  }

  /// Uploads one chunk of a media file, and gives its buffer back before it completes. Fails as `upload(_:completion:)`; the
  /// `mediaIndex` of the error is the chunk's.
  public func upload(_ chunk: Chunk, completion: @escaping Callback<Receipt>) -> any Cancellable {
    perform(.uploadChunk(chunk), completion: completion)
  }
}

/// A service that can be awaited without a callback: it answers in the caller's task, and is cancelled with it.
///
/// Only Swift's own concurrency has a use for this, so all contenders are compared by `UploadService`, which says what requests do.
public protocol AsyncUploadService: Sendable {
  /// Does one thing that the post needs.
  func perform(_ request: Request) async throws -> Receipt

  /// Creates the post from the receipts of its media, in the order of its media.
  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication
}
