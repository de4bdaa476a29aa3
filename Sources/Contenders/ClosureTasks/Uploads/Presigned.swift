import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media, limit: limit) { [queue] media in
      ClosureTask(on: .global(qos: .init(priority))) { try service.prepare(media) }
        .then { prepared in
          service.issueURL(for: prepared).ended(on: queue)
            .then { service.upload(prepared, to: $0).ended(on: queue) }
        }
    }
    .then { [queue] in service.createPost(post, receipts: $0).ended(on: queue) }
    .perform(completion: completion)
  }
}
