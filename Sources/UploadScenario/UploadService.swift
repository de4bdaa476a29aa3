/// Something under way that can be told to stop.
public protocol Cancellable: AnyObject, Sendable {
  /// Asks for the work to stop and returns at once.
  ///
  /// Any thread may call it, any number of times, before, during or after the end of the work. The work still
  /// calls its completion exactly once: with `CancellationError`, or with its result if that came first.
  func cancel()
}

/// What media are uploaded to: callback-style, as real SDKs are.
///
/// Each call starts its work and returns a handle; its completion is called exactly once, on a thread of the
/// service's own. (A service may also complete on the calling thread before the call returns, so a caller must
/// not hold a lock across a call.) Any thread may call. The service lets go of a completion once it is called.
public protocol UploadService: Sendable {
  /// Uploads one media.
  ///
  /// Fails with `UploadFailure`, or with `CancellationError` if it was cancelled.
  func upload(_ media: Media, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void)
    -> any Cancellable

  /// Looks up one detail of a post; `author(of:)`, `place(of:)` and `audience(of:)` give the answers their types.
  ///
  /// Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  func lookUp(
    _ detail: PostDetail, of post: Post, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> any Cancellable

  /// Creates the post from the receipts of its media, in the order of its media.
  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable
}

/// An upload that the service refused or could not finish.
public struct UploadFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public let mediaIndex: Int
  public let reason: String

  public init(mediaIndex: Int, reason: String) {
    self.mediaIndex = mediaIndex
    self.reason = reason
  }

  public var description: String { "media \(mediaIndex): \(reason)" }
}
