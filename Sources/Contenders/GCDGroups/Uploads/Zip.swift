import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupLookupJob(post, service: service, completion: completion)
    job.run {
      job.lookUpAuthor()
      job.lookUpPlace()
      job.lookUpAudience()
    }
    return job
  }
}

/// A post that is created from details.
final class GroupLookupJob<Service: UploadService>: GroupJob<Service>, @unchecked Sendable {
  private(set) var author: Author?
  private(set) var place: Place?
  private(set) var audience: Audience?

  override func createPost() {
    create { completion in
      // They have succeeded, or this would not be called.
      let details = PostDetails(author: author!, place: place!, audience: audience!)
      return service.createPost(post, details: details, completion: completion)
    }
  }

  func lookUpAuthor() { lookUp({ service.author(of: post, completion: $0) }) { self.author = $0 } }
  func lookUpPlace() { lookUp({ service.place(of: post, completion: $0) }) { self.place = $0 } }
  func lookUpAudience() { lookUp({ service.audience(of: post, completion: $0) }) { self.audience = $0 } }

  /// Asks for a detail and keeps it; the group is left when it is there.
  private func lookUp<Detail: Sendable>(
    _ start: (@escaping Callback<Detail>) -> any Cancellable,
    keep: @escaping @Sendable (Detail) -> Void
  ) {
    guard failure == nil else { return }
    group.enter()
    request(start) { result in
      switch result {
      case .success(let detail): keep(detail)
      case .failure(let error): self.fail(error)
      }
      self.group.leave()
    }
  }
}
