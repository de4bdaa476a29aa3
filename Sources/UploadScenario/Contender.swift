/// How a contender reports the end of a job.
public typealias Completion = @Sendable (Result<Publication, any Error>) -> Void

/// One idiom's way of writing every pattern.
///
/// The entry is callback-style for everyone, so that no idiom pays for another's. Every pattern keeps the same
/// promises:
/// - The completion is called exactly once, on any thread, never before the call's work is decided.
/// - Receipts reach `createPost` and the `Publication` in the order of the post's media, whatever the order in
///   which the uploads finish.
/// - The first failure wins and is what the completion gets. No post is created, uploads not yet started never
///   start, and those in flight are cancelled before the completion is called.
/// - Cancelling the returned handle does the same with `CancellationError`; it does nothing once the job ended.
/// - Nothing outlives the job: once the completion was called and the service has answered the cancelled
///   uploads, no task, thread, closure or coroutine of it is left, and the completion itself is let go.
/// - A post without media goes straight to `createPost`.
public protocol Contender: Sendable {
  /// The name on the command line and in every report, such as `gcd-groups`.
  var name: String { get }
  /// What the idiom is, in one line.
  var summary: String { get }

  /// Uploads all media at once, or at most `limit` (1 or more) at any moment, then creates the post.
  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable

  /// Uploads one media after another, in order, then creates the post.
  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable

  /// Looks up author, place and audience at once, then creates the post from all three.
  func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable

  /// Looks up author, place and audience one after another, then creates the post from all three.
  func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable
}
