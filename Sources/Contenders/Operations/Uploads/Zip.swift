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
    func operation<Value>(_ call: @escaping Call<Value>) -> AsynchronousOperation<Value> {
      AsynchronousOperation(of: job) { $0.request(call, then: $0.finish) }
    }
    let author = operation { service.author(of: post, completion: $0) }
    let place = operation { service.place(of: post, completion: $0) }
    let audience = operation { service.audience(of: post, completion: $0) }
    return job.run([author, place, audience], completion) {
      let details = PostDetails(author: author.value!, place: place.value!, audience: audience.value!)
      return service.createPost(post, details: details, completion: $0)
    }
  }
}
