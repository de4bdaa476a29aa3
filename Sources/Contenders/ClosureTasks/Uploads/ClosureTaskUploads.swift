import ClosureTasks
import Dispatch
import UploadScenario

/// Tasks as values: each upload is a closure that is given a controller; groups and sequences are tasks again.
public struct ClosureTaskUploads: Contender {
  public let name = "closure-tasks"
  public let summary = "closure tasks: closures given a controller, composed into groups and sequences"
  let queue: DispatchQueue? = nil

  public init() {}
}

extension UploadService {
  func upload(_ media: Media) -> ClosureTask<Receipt> {
    ClosureTask { task in task.onCancel(upload(media) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func upload(_ chunk: Chunk) -> ClosureTask<Receipt> {
    ClosureTask { task in task.onCancel(upload(chunk) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func upload(_ media: Media, to mirror: Mirror) -> ClosureTask<Receipt> {
    ClosureTask { task in task.onCancel(upload(media, to: mirror) { task.complete(with: $0) }) { $0.cancel() }
    }
  }

  func issueURL(for prepared: PreparedMedia) -> ClosureTask<UploadURL> {
    ClosureTask { task in task.onCancel(issueURL(for: prepared) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) -> ClosureTask<Receipt> {
    ClosureTask { task in task.onCancel(upload(prepared, to: url) { task.complete(with: $0) }) { $0.cancel() }
    }
  }

  func author(of post: Post) -> ClosureTask<Author> {
    ClosureTask { task in task.onCancel(author(of: post) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func place(of post: Post) -> ClosureTask<Place> {
    ClosureTask { task in task.onCancel(place(of: post) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func audience(of post: Post) -> ClosureTask<Audience> {
    ClosureTask { task in task.onCancel(audience(of: post) { task.complete(with: $0) }) { $0.cancel() } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> ClosureTask<Publication> {
    ClosureTask { task in
      task.onCancel(createPost(post, receipts: receipts) { task.complete(with: $0) }) { $0.cancel() }
    }
  }

  func createPost(_ post: Post, details: PostDetails) -> ClosureTask<Publication> {
    ClosureTask { task in
      task.onCancel(createPost(post, details: details) { task.complete(with: $0) }) { $0.cancel() }
    }
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
