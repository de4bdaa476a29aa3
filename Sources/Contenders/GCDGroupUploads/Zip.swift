import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = LookupJob(post, service: service, completion: completion)
    job.queue.async {
      job.lookUp(\.author) { service.author(of: post, completion: $0) }
      job.lookUp(\.place) { service.place(of: post, completion: $0) }
      job.lookUp(\.audience) { service.audience(of: post, completion: $0) }
      job.group.notify(queue: job.queue) { job.createPost() }
    }
    return job
  }
}
