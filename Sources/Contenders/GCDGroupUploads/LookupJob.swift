import Dispatch
import UploadScenario

/// The lookups of one post on their way.
final class LookupJob<Service: UploadService>: Cancellable, @unchecked Sendable {
  // Invariant: everything mutable is touched on `queue` only.
  let queue = DispatchQueue(label: "lookups")
  let group = DispatchGroup()
  let post: Post
  let service: Service
  var author: Author?
  var place: Place?
  var audience: Audience?
  private var failure: (any Error)?
  private var handles: [any Cancellable] = []
  private var completion: Completion?

  init(_ post: Post, service: Service, completion: @escaping Completion) {
    self.post = post
    self.service = service
    self.completion = completion
  }

  func cancel() { queue.async { self.fail(CancellationError()) } }

  /// Asks for a detail and keeps it; the group is left when it is there.
  func lookUp<Detail: Sendable>(
    _ detail: ReferenceWritableKeyPath<LookupJob, Detail?> & Sendable,
    _ request: (@escaping @Sendable (Result<Detail, any Error>) -> Void) -> any Cancellable
  ) {
    guard failure == nil else { return }
    group.enter()
    handles.append(
      request { result in
        self.queue.async {
          switch result {
          case .success(let value): self[keyPath: detail] = value
          case .failure(let error): self.fail(error)
          }
          self.group.leave()
        }
      })
  }

  /// What follows when every lookup that was asked for has ended.
  func createPost() {
    guard failure == nil, let author, let place, let audience else {
      return finish(.failure(failure ?? CancellationError()))
    }
    let details = PostDetails(author: author, place: place, audience: audience)
    handles = [
      service.createPost(post, details: details) { result in self.queue.async { self.finish(result) } }
    ]
  }

  private func fail(_ error: any Error) {
    guard failure == nil, completion != nil else { return }
    failure = error
    for handle in handles { handle.cancel() }
  }

  private func finish(_ result: Result<Publication, any Error>) {
    handles = []
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}
