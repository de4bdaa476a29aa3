import UploadScenario

extension OperationUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // The first failure cancels all operations. The last operation, which depends on them, reports the failure.
    let job = OperationJob(limit: limit)
    let uploads = post.media.map { media in
      AsynchronousOperation<Receipt>(of: job) { upload in
        if job.error != nil { return }
        upload.enter()
        let handle = service.upload(media) { result in
          upload.finish(with: result)
          upload.leave()
        }
        upload.keep(handle)
      }
    }
    return job.run(uploads, completion) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }
}
