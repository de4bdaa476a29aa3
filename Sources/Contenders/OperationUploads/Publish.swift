import Foundation
import UploadScenario

extension OperationUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = UploadJob(post, service: service, limit: limit, completion: completion)
    let uploads = post.media.map { UploadOperation($0, of: job) }
    let creation = PostOperation(after: uploads, of: job)
    for upload in uploads { creation.addDependency(upload) }
    job.run(uploads, then: creation)
    return job
  }
}
