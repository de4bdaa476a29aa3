import Dispatch
import UploadScenario

extension OperationUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(limit: limit, on: .global(qos: .init(priority)))
    // The steps are one operation: a limit counts operations, and of three that depend on each other a queue
    // would start the first of the next media file before the last of this one.
    let uploads = post.media.map { media in
      AsynchronousOperation<Receipt>(of: job) { upload in
        do {
          let prepared = try service.prepare(media)
          if upload.isFinished { return }
          let request = service.issueURL(for: prepared) { result in
            switch result {
            case .success where upload.isFinished: return
            case .success(let url): upload.keep(service.upload(prepared, to: url, completion: upload.finish))
            case .failure(let error): upload.finish(with: .failure(error))
            }
          }
          upload.keep(request)
        } catch { upload.finish(with: .failure(error)) }
      }
    }
    return job.run(uploads, completion) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }
}
