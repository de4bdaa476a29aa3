import Dispatch
import UploadScenario

/// Blocks a thread until the group is empty. The code is simple, but each post needs a blocked thread.
struct WaitUploads: PartialContender {
  let name = "gcd-groups/wait"
  let summary = "DispatchGroup wait on a global queue, with a semaphore for the limit"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    DispatchQueue.global().async {
      job.feed(post, to: service, limit: limit)
      job.group.wait()
      if let error = job.error { return completion(.failure(error)) }
      let handle = service.createPost(post, receipts: job.receipts) { result in
        job.requests.cancel()
        completion(result.mapError { job.error ?? $0 })
      }
      job.requests.add(handle)
    }
    return job
  }
}
