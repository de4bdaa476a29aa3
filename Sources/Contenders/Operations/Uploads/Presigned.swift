import Dispatch
import UploadScenario

extension OperationUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(limit: limit, on: .global(qos: .init(priority)))
    // All steps of a media file are one operation, because the queue's limit counts operations.
    let uploads = post.media.map { media in
      AsynchronousOperation<Receipt>(of: job) { upload in
        do {
          if job.error != nil { return }
          let prepared = try service.prepare(media)
          upload.request({ service.issueURL(for: prepared, completion: $0) }) { result in
            switch result {
            case .success(let url):
              upload.request({ service.upload(prepared, to: url, completion: $0) }, then: upload.finish)
            case .failure(let error): job.fail(error)
            }
          }
        } catch { job.fail(error) }
      }
    }
    return job.run(uploads, completion) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }
}
