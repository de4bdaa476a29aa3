import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = LookupJob(post, service: service, completion: completion)
    let (group, queue) = (job.group, job.queue)
    queue.async {
      job.lookUp(\.author) { service.author(of: post, completion: $0) }
      group.notify(queue: queue) {
        job.lookUp(\.place) { service.place(of: post, completion: $0) }
        group.notify(queue: queue) {
          job.lookUp(\.audience) { service.audience(of: post, completion: $0) }
          group.notify(queue: queue) { job.createPost() }
        }
      }
    }
    return job
  }
}
