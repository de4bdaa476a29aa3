import Foundation
import UploadScenario

/// A thread of its own for each blocked call: what the system's pool saves in threads and costs in time.
struct ThreadUploads: PartialContender {
  let name = "callbacks/threads"
  let summary = "callbacks, each blocking call on a thread of its own"
  let patterns = [Pattern.blocking]

  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: post.media.count, completion)
    // Each thread uploads until no media file is left. Without a limit as many as a process may well have.
    return job.run(limit: limit ?? 1_000) { _ in Thread.detachNewThread { job.uploadBlocking() } }
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    CallbackUploads().heartbeat(every: interval, beat)
  }
}

extension Job {
  fileprivate func uploadBlocking() {
    while let index = begin({ $0.startNext() }) {
      let result = Result { try service.uploadBlocking(post.media[index]) }
      finish { try $0.add(result.get()) }
    }
  }
}
