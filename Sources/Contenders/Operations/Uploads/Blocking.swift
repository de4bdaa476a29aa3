import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Without a limit the queue starts as many calls as Dispatch has threads for: one for each core, and on Linux one
    // more a second for as long as they stay blocked.
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = post.media.map { BlockingOperation(of: job, $0) }
    return job.run(uploads, on: workQueues[.low]?.limited(to: limit), for: post)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Heartbeat(every: interval, on: queue.limited(to: 1), beat)
  }
}

private final class BlockingOperation: MediaOperation, @unchecked Sendable {
  override func begin() {
    do { end(with: try job.service.uploadBlocking(media)) } catch { fail(error) }
  }
}

/// A timer that adds an operation to a queue, unless the last one has not run yet.
private final class Heartbeat: Cancellable {
  private let alarm = Mutex<Alarm?>(nil)

  init(every interval: Duration, on queue: OperationQueue, _ beat: @escaping @Sendable () -> Void) {
    let alarm = Alarm(after: interval, repeats: true) {
      guard queue.operationCount == 0 else { return }
      queue.addOperation { if self.alarm.withLock({ $0 != nil }) { beat() } }
    }
    self.alarm.withLock { $0 = alarm }
  }

  func cancel() { alarm.withLock { $0.take() }?.cancel() }
}
