import UploadScenario

extension CallbackUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      let request = service.perform(.upload(media)) { result in
        // An upload that succeeds starts the next one; the first that fails cancels the others, and ends the job.
        if let next = job.finish(result) { upload(next) }
      }
      job.keep(request)
    }
    return job.run(limit: limit, upload)
  }
}
