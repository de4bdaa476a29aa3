/// A service that can be awaited without a callback: it answers in the caller's task, wherever that runs.
///
/// Real SDKs have both faces; only Swift's own concurrency has a use for this one, so all contenders are compared by the other.
/// What a request does, and how it fails, is that of `UploadService`; it is cancelled with the task.
public protocol AsyncUploadService: Sendable {
  /// Does one thing that the post needs.
  func perform(_ request: Request) async throws -> Receipt

  /// Creates the post from the receipts of its media, in the order of its media.
  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication
}
