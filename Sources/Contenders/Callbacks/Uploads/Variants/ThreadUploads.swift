import Foundation
import UploadScenario

extension CallbackUploads {
  public static let onThreads: any Contender = ThreadUploads()
}

/// Creates a new thread for each blocking call, for comparison with the system's thread pool.
struct ThreadUploads: PartialContender {
  let name = "callbacks/threads"
  let summary = "callbacks, each blocking call on a thread of its own"
  let patterns = [Pattern.blocking]

  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      guard job.enter() else { return }
      Thread.detachNewThread {
        job.end(Result { try service.uploadBlocking(media) }, startNext: upload)
        job.leave()
      }
    }
    // Without a limit, a large but safe number of threads is used.
    return job.run(limit: limit ?? 1_000, upload)
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    CallbackUploads().heartbeat(every: interval, beat)
  }
}
