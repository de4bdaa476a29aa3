import UploadScenario

extension OperationUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(limit: limit)
    let uploads = post.media.map { media in
      AsynchronousOperation(of: job) { $0.keep(service.upload(media, completion: $0.finish)) }
    }
    return job.run(uploads, completion) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }
}
