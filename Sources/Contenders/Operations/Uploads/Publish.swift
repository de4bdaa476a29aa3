import Foundation
import UploadScenario

extension OperationUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = post.media.map { media in
      RequestOperation(of: job) { service.upload(media, completion: $0) }
    }
    return job.run(uploads, on: queue.limited(to: limit), for: post)
  }
}
