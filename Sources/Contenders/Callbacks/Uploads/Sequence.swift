import UploadScenario

extension CallbackUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = CountdownJob(post, service: service, limit: 1, completion: completion)
    job.start()
    return job
  }
}
