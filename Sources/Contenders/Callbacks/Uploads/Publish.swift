import UploadScenario

extension CallbackUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: post.media.count, completion)
    return job.run(limit: limit) { _ in job.uploadNext() }
  }
}

extension Job {
  /// Uploads the next media file. When that has succeeded, another one takes its place; a failure is the job's.
  fileprivate func uploadNext() {
    guard let index = begin({ $0.startNext() }) else { return }
    let request = service.perform(.upload(post.media[index])) { result in
      self.finish { try $0.add(result.get()) }
      self.uploadNext()
    }
    keep(request)
  }
}
