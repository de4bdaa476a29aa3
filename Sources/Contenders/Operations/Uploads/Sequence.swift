import Foundation
import UploadScenario

extension OperationUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    // A queue of one is the documented serial queue. A chain of dependencies says the same, but with Foundation on
    // Linux one of 20 000 took more than 20 s.
    let job = OperationJob(on: service, limit: 1, completion: completion)
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
