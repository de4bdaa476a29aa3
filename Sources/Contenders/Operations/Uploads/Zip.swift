import UploadScenario

extension OperationUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    lookUp(post, on: service, limit: 3, completion)
  }

  func lookUp(
    _ post: Post, on service: some UploadService, limit: Int, _ completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(limit: limit)
    let author = AsynchronousOperation(of: job) { $0.keep(service.author(of: post, completion: $0.finish)) }
    let place = AsynchronousOperation(of: job) { $0.keep(service.place(of: post, completion: $0.finish)) }
    let audience = AsynchronousOperation(of: job) {
      $0.keep(service.audience(of: post, completion: $0.finish))
    }
    return job.run([author, place, audience], completion) {
      let details = PostDetails(author: author.value!, place: place.value!, audience: audience.value!)
      return service.createPost(post, details: details, completion: $0)
    }
  }
}
