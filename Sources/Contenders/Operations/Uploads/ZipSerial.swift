import Foundation
import UploadScenario

extension OperationUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let author = RequestOperation(of: job) { service.author(of: post, completion: $0) }
    let place = RequestOperation(of: job) { service.place(of: post, completion: $0) }
    let audience = RequestOperation(of: job) { service.audience(of: post, completion: $0) }
    place.addDependency(author)
    audience.addDependency(place)
    return job.run([author, place, audience]) {
      // They have succeeded, or this would not be called.
      let details = PostDetails(author: author.value!, place: place.value!, audience: audience.value!)
      return service.createPost(post, details: details, completion: $0)
    }
  }
}
