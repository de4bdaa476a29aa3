import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    return job.run(limit: limit, job.uploadBlocking)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    QueueTimer(on: queue ?? .global(), after: interval, repeats: true, beat)
  }
}

extension GroupJob where Progress == Receipts {
  fileprivate func uploadBlocking(_ index: Int) {
    // A blocked call keeps a thread from all else of its class. There are as many as cores, and on Linux one more
    // a second for as long as they stay blocked: that is the pace of the calls that come without a limit.
    DispatchQueue.global(qos: .utility).async(group: group) {
      if self.hasFailed { return }
      do {
        let receipt = try self.service.uploadBlocking(self.post.media[index])
        self.keep(receipt, at: index, then: self.uploadBlocking)
      } catch { self.fail(error) }
    }
  }
}
