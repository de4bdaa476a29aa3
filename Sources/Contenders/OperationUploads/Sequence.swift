import Foundation
import UploadScenario

extension OperationUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = UploadJob(post, service: service, limit: nil, completion: completion)
    let uploads = post.media.map { UploadOperation($0, of: job) }
    for (upload, previous) in zip(uploads.dropFirst(), uploads) { upload.addDependency(previous) }
    let creation = PostOperation(after: uploads, of: job)
    if let last = uploads.last { creation.addDependency(last) }
    job.run(uploads, then: creation)
    return job
  }
}
