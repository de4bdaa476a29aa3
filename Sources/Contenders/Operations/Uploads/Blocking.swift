import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Without a limit the queue starts as many calls as Dispatch has threads for: one for each core, and on Linux one
    // more a second for as long as they stay blocked.
    let job = OperationJob(on: service, limit: limit, completion: completion)
    let uploads = post.media.map { BlockingOperation(of: job, $0) }
    let creation = PostOperation(of: job) { service, completion in
      service.createPost(post, receipts: uploads.compactMap(\.receipt), completion: completion)
    }
    job.run(uploads, then: creation)
    return job
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Heartbeat(every: interval, beat)
  }
}

/// An operation that ends when `main` returns.
private final class BlockingOperation<Service: UploadService>: Operation, @unchecked Sendable {
  private let job: OperationJob<Service>
  private let media: Media
  private let kept = Mutex<Receipt?>(nil)

  init(of job: OperationJob<Service>, _ media: Media) {
    self.job = job
    self.media = media
  }

  var receipt: Receipt? { kept.withLock { $0 } }

  override func main() {
    guard !isCancelled, job.failure == nil else { return }
    do {
      let receipt = try job.service.uploadBlocking(media)
      kept.withLock { $0 = receipt }
    } catch { job.fail(error) }
  }
}

/// A timer that adds an operation to a queue, unless the last one has not run yet.
private final class Heartbeat: Cancellable {
  private let queue = OperationQueue()
  private let alarm = Mutex<Alarm?>(nil)

  init(every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
    queue.maxConcurrentOperationCount = 1
    let alarm = Alarm(after: interval, repeats: true) {
      guard self.queue.operationCount == 0 else { return }
      self.queue.addOperation { if self.alarm.withLock({ $0 != nil }) { beat() } }
    }
    self.alarm.withLock { $0 = alarm }
  }

  func cancel() { alarm.withLock { $0.take() }?.cancel() }
}
