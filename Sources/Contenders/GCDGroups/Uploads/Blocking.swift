import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupUploadJob(post, service: service, completion: completion)
    job.run { for _ in 0..<min(limit ?? .max, post.media.count) { job.blockNext() } }
    return job
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    QueueTimer(on: .global(), after: interval, repeats: true, beat)
  }
}

extension GroupUploadJob {
  fileprivate func blockNext() {
    guard let media = startNext() else { return }
    // A blocked call keeps a thread from all else that is dispatched. There are as many as cores, and on Linux one more
    // a second for as long as they stay blocked: that is the pace of the calls that come without a limit.
    DispatchQueue.global().async {
      let receipt = Result {
        if self.isStopped.load(ordering: .relaxed) { throw CancellationError() }
        return try self.service.uploadBlocking(media)
      }
      self.queue.async {
        self.keep(receipt, at: media.index)
        self.blockNext()
        self.group.leave()
      }
    }
  }
}
