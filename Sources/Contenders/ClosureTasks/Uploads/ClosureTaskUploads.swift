import ClosureTasks
import UploadScenario

/// Tasks that are values: each upload is a closure that receives a controller. Groups and sequences are also tasks.
public struct ClosureTaskUploads: Contender {
  public let name = "closure-tasks"
  public let summary = "closure tasks: closures given a controller, composed into groups and sequences"

  public init() {}
}

extension UploadService {
  func perform(_ request: Request) -> ClosureTask<Receipt> {
    ClosureTask { task in task.onCancel(perform(request) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func issueURL(for prepared: PreparedMedia) -> ClosureTask<UploadURL> {
    .request { task in issueURL(for: prepared) { task.complete(with: $0) } }
  }

  func author(of post: Post) -> ClosureTask<Author> {
    .request { task in author(of: post) { task.complete(with: $0) } }
  }
  func place(of post: Post) -> ClosureTask<Place> {
    .request { task in place(of: post) { task.complete(with: $0) } }
  }
  func audience(of post: Post) -> ClosureTask<Audience> {
    .request { task in audience(of: post) { task.complete(with: $0) } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> ClosureTask<Publication> {
    .request { task in createPost(post, receipts: receipts) { task.complete(with: $0) } }
  }

  func createPost(_ post: Post, details: PostDetails) -> ClosureTask<Publication> {
    .request { task in createPost(post, details: details) { task.complete(with: $0) } }
  }
}

extension ClosureTask {
  /// Converts a call with a completion to a task. Cancelling the task cancels the request.
  @inline(__always)
  static func request(_ start: @escaping @Sendable (Controller) -> any Cancellable) -> Self {
    ClosureTask { task in task.onCancel(start(task)) { $0.cancel() } }
  }
}

extension TaskRun: Cancellable {}
