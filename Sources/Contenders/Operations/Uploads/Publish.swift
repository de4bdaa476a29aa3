import Foundation
import UploadScenario

extension OperationUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = post.media.map { UploadOperation(of: job, $0) }
    return job.run(uploads, on: queue.limited(to: limit), for: post)
  }
}

final class UploadOperation: MediaOperation, @unchecked Sendable {
  override func begin() { request({ job.service.upload(media, completion: $0) }, then: end) }
}
