import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = UploadJob(post, service: service, completion: completion)
    job.queue.async {
      for _ in 0..<min(limit ?? .max, post.media.count) { job.startNext() }
      job.group.notify(queue: job.queue) { job.createPost() }
    }
    return job
  }
}
