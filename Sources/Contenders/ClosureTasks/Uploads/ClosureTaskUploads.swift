import ClosureTasks
import UploadScenario

/// Tasks as values: each upload is a closure that is given a controller; groups and sequences are tasks again.
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
    .request { issueURL(for: prepared, completion: $0) }
  }

  func author(of post: Post) -> ClosureTask<Author> { .request { author(of: post, completion: $0) } }
  func place(of post: Post) -> ClosureTask<Place> { .request { place(of: post, completion: $0) } }
  func audience(of post: Post) -> ClosureTask<Audience> { .request { audience(of: post, completion: $0) } }

  func createPost(_ post: Post, receipts: [Receipt]) -> ClosureTask<Publication> {
    .request { createPost(post, receipts: receipts, completion: $0) }
  }

  func createPost(_ post: Post, details: PostDetails) -> ClosureTask<Publication> {
    .request { createPost(post, details: details, completion: $0) }
  }
}

extension ClosureTask {
  /// A call with a completion as a task, whose cancellation cancels the request.
  @inline(__always)
  static func request(_ start: @escaping @Sendable (@escaping Callback<Output>) -> any Cancellable) -> Self {
    ClosureTask { task in task.onCancel(start { task.complete(with: $0) }) { $0.cancel() } }
  }
}

extension TaskRun: Cancellable {}
