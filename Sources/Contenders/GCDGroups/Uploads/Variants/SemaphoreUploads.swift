import Dispatch
import UploadScenario

/// The limit is a semaphore: a thread waits at it for as long as there are uploads to start.
struct SemaphoreUploads: PartialContender {
  let name = "gcd-groups/semaphore"
  let summary = "DispatchSemaphore for the limit, at which a feeding thread blocks; group notify"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let feeder = Feeder(post, service: service, limit: limit, completion: completion)
    DispatchQueue.global().async {
      _ = feeder.job.run {
        feeder.feed()
      } then: {
        feeder.job.createPost()
      }
    }
    return feeder
  }
}
