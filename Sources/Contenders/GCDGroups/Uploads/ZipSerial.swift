import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupLookupJob(post, service: service, completion: completion)
    let (group, queue) = (job.group, job.queue)
    queue.async {
      job.lookUpAuthor()
      group.notify(queue: queue) {
        job.lookUpPlace()
        group.notify(queue: queue) {
          job.lookUpAudience()
          group.notify(queue: queue) { job.createPost() }
        }
      }
    }
    return job
  }
}
