import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupUploadJob(
      post, service: service, qos: DispatchQoS(qosClass: .init(priority), relativePriority: 0),
      completion: completion)
    job.run { for _ in 0..<min(limit ?? .max, post.media.count) { job.prepareNext() } }
    return job
  }
}

extension GroupUploadJob {
  fileprivate func prepareNext() {
    guard let media = startNext() else { return }
    DispatchQueue.global(qos: queue.qos.qosClass).async {
      let prepared = Result {
        // A block that was dispatched cannot be taken back: it looks whether it is still wanted.
        if self.isStopped.load(ordering: .relaxed) { throw CancellationError() }
        return try self.service.prepare(media)
      }
      self.queue.async {
        self.proceed(with: prepared) { prepared in
          self.request({ self.service.issueURL(for: prepared, completion: $0) }) { url in
            self.proceed(with: url) { url in
              self.request({ self.service.upload(prepared, to: url, completion: $0) }) { receipt in
                self.keep(receipt, at: media.index)
                self.prepareNext()
                self.group.leave()
              }
            }
          }
        }
      }
    }
  }

  /// Goes on with the next step of a media file, unless this one or another has failed.
  private func proceed<Value>(with result: Result<Value, any Error>, _ next: (Value) -> Void) {
    if case .failure(let error) = result { fail(error) }
    guard failure == nil, case .success(let value) = result else { return group.leave() }
    next(value)
  }
}
