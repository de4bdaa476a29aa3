import Foundation
import UploadScenario

extension CallbackUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A thread for each call that waits is what blocking costs, so there are no more without a limit either.
    let uploads = BlockingUploads(mostThreads: limit ?? 1_000, receipts: Receipts(count: post.media.count))
    let job = CallbackJob(post, service: service, places: 0, progress: uploads, completion: completion)
    if post.media.isEmpty { job.step { _ in .createPost } } else { job.addThread() }
    return job
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Alarm(every: interval, beat)
  }
}

private struct BlockingUploads: UploadProgress {
  let mostThreads: Int
  var receipts: Receipts
  var started = 0
  var threads = 0

  /// Whether there is something to do for one more.
  mutating func addThread() -> Bool {
    guard started < receipts.count, threads < mostThreads else { return false }
    threads += 1
    return true
  }

  mutating func startNext() -> Int? {
    guard started < receipts.count else { return nil }
    defer { started += 1 }
    return started
  }
}

extension CallbackJob where Progress == BlockingUploads {
  fileprivate func addThread() {
    guard change({ $0.addThread() }) == true else { return }
    // A call that is about to block cannot be told from one that does, so a failure is reported when all have returned.
    Thread.detachNewThread { self.work { self.uploadMedia() } }
  }

  /// Uploads until nothing is left. Each thread that is about to block starts the next: where calls return at once, few do.
  private func uploadMedia() {
    while let index = change({ $0.startNext() }) ?? nil {
      addThread()
      do {
        let receipt = try service.uploadBlocking(post.media[index])
        step { $0.receipts.add(receipt, at: index) ? .createPost : .wait }
      } catch { fail(error) }
    }
  }
}
