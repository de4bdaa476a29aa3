import UploadScenario

extension CallbackUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: 3, completion)
    job.request({ service.author(of: post, completion: $0) }, add: { $0.add(\.author, $1) })
    job.request({ service.place(of: post, completion: $0) }, add: { $0.add(\.place, $1) })
    job.request({ service.audience(of: post, completion: $0) }, add: { $0.add(\.audience, $1) })
    return job.run { _ in }
  }
}

struct Details: Sendable {
  var author: Author?
  var place: Place?
  var audience: Audience?
}

extension Progress {
  mutating func add<Value>(_ detail: WritableKeyPath<Details, Value?>, _ value: Value) {
    details[keyPath: detail] = value
    missing -= 1
  }
}
