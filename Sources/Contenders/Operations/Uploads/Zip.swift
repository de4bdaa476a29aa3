import Foundation
import UploadScenario

extension OperationUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, completion: completion)
    let author = RequestOperation(of: job) { $0.author(of: post, completion: $1) }
    let place = RequestOperation(of: job) { $0.place(of: post, completion: $1) }
    let audience = RequestOperation(of: job) { $0.audience(of: post, completion: $1) }
    let creation = PostOperation(of: job) { service, completion in
      // They have succeeded, or this would not be called.
      let details = PostDetails(author: author.value!, place: place.value!, audience: audience.value!)
      return service.createPost(post, details: details, completion: completion)
    }
    job.run([author, place, audience], then: creation)
    return job
  }
}
