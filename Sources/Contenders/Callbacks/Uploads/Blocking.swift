import Dispatch
import UploadScenario

extension CallbackUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: post.media.count, completion)
    return job.run(limit: limit) { _ in job.uploadNextBlocking() }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Timer(after: interval, repeats: true, beat)
  }
}

extension Job {
  /// In a class of its own: a blocked call keeps a thread from everything else of its class. There are as many threads as
  /// processors; Linux adds one a second while they stay blocked.
  fileprivate func uploadNextBlocking() {
    DispatchQueue.global(qos: .utility).async {
      guard let index = self.begin({ $0.startNext() }) else { return }
      let result = Result { try self.service.uploadBlocking(self.post.media[index]) }
      self.finish { try $0.add(result.get()) }
      self.uploadNextBlocking()
    }
  }
}
