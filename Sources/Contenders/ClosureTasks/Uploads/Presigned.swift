import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media, limit: limit) { media in
      ClosureTask(on: .global(qos: .init(priority))) { try service.prepare(media) }
        .then { prepared in
          service.issueURL(for: prepared).then { service.perform(.uploadTo($0, prepared)) }
        }
    }
    .then { service.createPost(post, receipts: $0) }
    .perform(on: nil, then: completion)
  }
}
