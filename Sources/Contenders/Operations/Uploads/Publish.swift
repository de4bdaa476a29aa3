import Foundation
import UploadScenario

extension OperationUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, limit: limit, completion: completion)
    let uploads = post.media.map { media in
      RequestOperation(of: job) { $0.upload(media, completion: $1) }
    }
    let creation = PostOperation(of: job) { service, completion in
      service.createPost(post, receipts: uploads.compactMap(\.value), completion: completion)
    }
    job.run(uploads, then: creation)
    return job
  }
}
