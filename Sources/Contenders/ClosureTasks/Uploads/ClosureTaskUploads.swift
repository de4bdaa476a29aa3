import ClosureTasks
import Dispatch
import UploadScenario

/// Tasks as values: each upload is a closure that is given a controller; groups and sequences are tasks again.
public struct ClosureTaskUploads: Contender {
  public let name: String
  public let summary = "closure tasks: closures given a controller, composed into groups and sequences"
  public let context: CompletionContext?
  /// Where tasks end that wait for an answer; nil: where the service answers.
  let queue: DispatchQueue?

  public init() { self.init(.inline) }

  private init(_ context: CompletionContext) {
    name = context.name(of: "closure-tasks", usually: .inline)
    self.context = context
    queue = context.makeQueue(label: "closure-tasks")
  }

  public func on(_ context: CompletionContext) -> (any Contender)? { ClosureTaskUploads(context) }
}

extension UploadService {
  func upload(_ media: Media) -> ClosureTask<Receipt> { task { upload(media, completion: $0) } }
  func upload(_ chunk: Chunk) -> ClosureTask<Receipt> { task { upload(chunk, completion: $0) } }

  func upload(_ media: Media, to mirror: Mirror) -> ClosureTask<Receipt> {
    task { upload(media, to: mirror, completion: $0) }
  }

  func issueURL(for prepared: PreparedMedia) -> ClosureTask<UploadURL> {
    task { issueURL(for: prepared, completion: $0) }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) -> ClosureTask<Receipt> {
    task { upload(prepared, to: url, completion: $0) }
  }

  func author(of post: Post) -> ClosureTask<Author> { task { author(of: post, completion: $0) } }
  func place(of post: Post) -> ClosureTask<Place> { task { place(of: post, completion: $0) } }
  func audience(of post: Post) -> ClosureTask<Audience> { task { audience(of: post, completion: $0) } }

  func createPost(_ post: Post, receipts: [Receipt]) -> ClosureTask<Publication> {
    task { createPost(post, receipts: receipts, completion: $0) }
  }

  func createPost(_ post: Post, details: PostDetails) -> ClosureTask<Publication> {
    task { createPost(post, details: details, completion: $0) }
  }
}

/// A request as a task; cancelling its run cancels the request.
private func task<Value: Sendable>(
  _ start: @escaping @Sendable (@escaping Callback<Value>) -> any Cancellable
) -> ClosureTask<Value> {
  ClosureTask { controller in
    let request = start { controller.complete(with: $0) }
    controller.onCancel { request.cancel() }
  }
}

extension ClosureTask {
  /// The same outcome, told on the queue if there is one.
  func ended(on queue: DispatchQueue?) -> ClosureTask {
    guard let queue else { return self }
    // A run of its own has the first answer: on a concurrent queue a second one might overtake it.
    return ClosureTask { controller in
      let run = perform { result in queue.async { controller.complete(with: result) } }
      controller.onCancel { run.cancel() }
    }
  }
}

extension TaskRun: Cancellable {}
