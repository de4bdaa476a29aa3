import ClosureTasks
import UploadScenario

/// Tasks as values: each upload is a closure that is given a controller; groups and sequences are tasks again.
public struct ClosureTaskUploads: Contender {
  public let name = "closure-tasks"
  public let summary = "closure tasks: closures given a controller, composed into groups and sequences"

  public init() {}
}

extension UploadService {
  /// One upload as a task; cancelling its run cancels the upload.
  func upload(_ media: Media) -> ClosureTask<Receipt> {
    ClosureTask { controller in
      let request = upload(media) { controller.complete(with: $0) }
      controller.onCancel { request.cancel() }
    }
  }

  /// The creation of the post as a task.
  func createPost(_ post: Post, receipts: [Receipt]) -> ClosureTask<Publication> {
    ClosureTask { controller in
      let request = createPost(post, receipts: receipts) { controller.complete(with: $0) }
      controller.onCancel { request.cancel() }
    }
  }
}

extension TaskRun: Cancellable {}
