import Dispatch
import UploadScenario

/// Limits uploads by a semaphore. A thread blocks on the semaphore while there are uploads to start.
struct SemaphoreUploads: PartialContender {
  let name = "gcd-groups/semaphore"
  let summary = "DispatchSemaphore for the limit, at which a feeding thread blocks; group notify"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    DispatchQueue.global().async {
      job.feed(post, to: service, limit: limit)
      _ = job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
    }
    return job
  }
}
