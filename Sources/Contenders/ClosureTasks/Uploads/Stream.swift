import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask(on: .global()) { try service.chunks(of: media) }
      .then { chunks in
        ClosureTask.group(pulling: chunks.next, on: .global(), buffer: buffer, limit: uploaders) {
          service.upload($0)
        }
      }
      .then { service.createPost(post, receipts: $0) }
      .perform(completion: completion)
  }
}
