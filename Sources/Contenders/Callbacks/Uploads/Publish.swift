import UploadScenario

extension CallbackUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      // After the first failure, no upload starts and those in flight are cancelled. Then the completion gets the failure.
      guard job.enter() else { return }
      let request = service.perform(.upload(media)) { result in
        job.end(result, startNext: upload)
        job.leave()
      }
      job.keep(request)
    }
    return job.run(limit: limit, upload)
  }
}
