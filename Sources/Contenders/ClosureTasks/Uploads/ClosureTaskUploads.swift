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
  func upload(_ media: Media) -> ClosureTask<Receipt> {
    ClosureTask { task in task.request { upload(media, completion: $0) } }
  }

  func upload(_ chunk: Chunk) -> ClosureTask<Receipt> {
    ClosureTask { task in task.request { upload(chunk, completion: $0) } }
  }

  func upload(_ media: Media, to mirror: Mirror) -> ClosureTask<Receipt> {
    ClosureTask { task in task.request { upload(media, to: mirror, completion: $0) } }
  }

  func issueURL(for prepared: PreparedMedia) -> ClosureTask<UploadURL> {
    ClosureTask { task in task.request { issueURL(for: prepared, completion: $0) } }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) -> ClosureTask<Receipt> {
    ClosureTask { task in task.request { upload(prepared, to: url, completion: $0) } }
  }

  func author(of post: Post) -> ClosureTask<Author> {
    ClosureTask { task in task.request { author(of: post, completion: $0) } }
  }

  func place(of post: Post) -> ClosureTask<Place> {
    ClosureTask { task in task.request { place(of: post, completion: $0) } }
  }

  func audience(of post: Post) -> ClosureTask<Audience> {
    ClosureTask { task in task.request { audience(of: post, completion: $0) } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> ClosureTask<Publication> {
    ClosureTask { task in task.request { createPost(post, receipts: receipts, completion: $0) } }
  }

  func createPost(_ post: Post, details: PostDetails) -> ClosureTask<Publication> {
    ClosureTask { task in task.request { createPost(post, details: details, completion: $0) } }
  }
}

extension TaskController {
  /// Makes a request, whose answer ends the run; cancelling the run cancels the request.
  func request(_ start: (@escaping Callback<Output>) -> any Cancellable) {
    let request = start { self.complete(with: $0) }
    onCancel { request.cancel() }
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
