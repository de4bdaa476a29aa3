import UploadScenario

extension CallbackUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = CountdownJob(post, service: service, limit: limit ?? post.media.count, completion: completion)
    job.start()
    return job
  }
}
