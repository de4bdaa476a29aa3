import Dispatch
import UploadScenario

extension CallbackUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: post.media.count, completion)
    return job.run(limit: limit) { _ in job.prepareNext(on: .global(qos: .init(priority))) }
  }
}

extension Job {
  /// Prepares the next media file, asks for its URL and uploads it there; then another one takes its place.
  fileprivate func prepareNext(on queue: DispatchQueue) {
    queue.async {
      guard let index = self.begin({ $0.startNext() }) else { return }
      let result = Result { try self.service.prepare(self.post.media[index]) }
      self.finish { _ in _ = try result.get() }
      guard case .success(let prepared) = result else { return }
      self.request(
        { self.service.issueURL(for: prepared, completion: $0) },
        then: { url in
          self.request(
            { self.service.perform(.uploadTo(url, prepared), completion: $0) }, add: { $0.add($1) }
          ) {
            _ in self.prepareNext(on: queue)
          }
        })
    }
  }

  /// One request of a chain: what it brings is added, then `next` goes on.
  func request<Value>(
    _ start: (@escaping Callback<Value>) -> any Cancellable,
    add: @escaping @Sendable (inout Progress, Value) -> Void = { _, _ in },
    then next: @escaping @Sendable (Value) -> Void = { _ in }
  ) {
    guard begin() != nil else { return }
    let request = start { result in
      self.finish { try add(&$0, result.get()) }
      if case .success(let value) = result { next(value) }
    }
    keep(request)
  }
}
