import Dispatch
import UploadScenario

/// A background queue waits for the group: straight code, and a thread for each post for as long as it takes.
struct WaitUploads: PartialContender {
  let name = "gcd-groups/wait"
  let summary = "DispatchGroup wait on a background queue, with a semaphore for the limit"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = FeederJob(post, service: service, limit: limit, completion: completion)
    job.queue.async {
      job.feed()
      job.group.wait()
      job.createPost()
    }
    return job
  }
}
