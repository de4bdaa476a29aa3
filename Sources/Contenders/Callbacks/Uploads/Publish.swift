import UploadScenario

extension CallbackUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      let request = service.perform(.upload(media)) { result in
        // A success starts the next upload. The first failure cancels those in flight, and starts nothing more; when all
        // have answered, the completion gets it, and no post is created.
        if let next = job.finish(result) { upload(next) }
      }
      job.keep(request)
    }
    return job.run(limit: limit, upload)
  }
}
