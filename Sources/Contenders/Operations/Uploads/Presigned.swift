import Foundation
import UploadScenario

extension OperationUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = post.media.map { PresignedOperation(of: job, $0) }
    return job.run(uploads, on: workQueues[priority]?.limited(to: limit), for: post)
  }
}

/// One media file's steps are one operation: the queue's limit counts operations, and of three that depend on each other it
/// would start the first of the next media file before the last of this one.
private final class PresignedOperation: MediaOperation, @unchecked Sendable {
  override func begin() {
    let service = job.service
    do {
      let prepared = try service.prepare(media)
      request({ service.issueURL(for: prepared, completion: $0) }) { url in
        self.request({ service.upload(prepared, to: url, completion: $0) }) { self.end(with: $0) }
      }
    } catch { fail(error) }
  }
}
