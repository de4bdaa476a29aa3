import Dispatch
import Synchronization
import UploadScenario

/// Prepares all media files by `concurrentPerform`, with a thread for each processor, then uploads them.
struct ConcurrentPerformUploads: PartialContender {
  let name = "gcd-groups/concurrent-perform"
  let summary = "DispatchQueue.concurrentPerform for what computes, then a group for the uploads"
  let patterns = [Pattern.presigned]

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    // `concurrentPerform` has no parameter for a limit. So with a limit, the contender `gcd-groups` does the work.
    if limit != nil {
      return GCDGroupUploads().presigned(
        post, to: service, limit: limit, priority: priority, completion: completion)
    }
    let job = GroupJob()
    job.work(on: .global(qos: .init(priority))) {
      let prepared = Mutex<[Int: PreparedMedia]>([:])
      DispatchQueue.concurrentPerform(iterations: post.media.count) { index in
        if job.error != nil { return }
        do {
          let one = try service.prepare(post.media[index])
          prepared.withLock { $0[index] = one }
        } catch { job.fail(error) }
      }
      let all = prepared.withLock { $0 }
      for (_, prepared) in all.sorted(by: { $0.key < $1.key }) {
        job.request({ service.issueURL(for: prepared, completion: $0) }) { url in
          job.request({ service.upload(prepared, to: url, completion: $0) }) { job.keep($0) }
        }
      }
    }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    GCDGroupUploads().heartbeat(every: interval, beat)
  }
}
