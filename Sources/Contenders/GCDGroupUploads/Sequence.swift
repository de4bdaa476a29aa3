import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = UploadJob(post, service: service, completion: completion)
    job.queue.async {
      job.startNext()
      job.group.notify(queue: job.queue) { job.createPost() }
    }
    return job
  }
}
