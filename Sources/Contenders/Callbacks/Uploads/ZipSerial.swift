import UploadScenario

extension CallbackUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: 3, completion)
    job.request({ service.author(of: post, completion: $0) }, add: { $0.add(\.author, $1) }) { _ in
      job.request({ service.place(of: post, completion: $0) }, add: { $0.add(\.place, $1) }) { _ in
        job.request({ service.audience(of: post, completion: $0) }, add: { $0.add(\.audience, $1) })
      }
    }
    return job.run { _ in }
  }
}
