import Synchronization
import UploadScenario

/// The lookups of one post on their way. What arrives last, by a counter, goes on to the post.
final class LookupJob<Service: UploadService>: Cancellable, Sendable {
  private struct State {
    var completion: Completion?
    var handles: [any Cancellable] = []
    var isPosting = false
    var isCancelled = false
    var missing = PostDetail.allCases.count
    var author: Author?
    var place: Place?
    var audience: Audience?
  }

  private let post: Post
  private let service: Service
  private let state: Mutex<State>

  init(_ post: Post, service: Service, completion: @escaping Completion) {
    self.post = post
    self.service = service
    state = Mutex(State(completion: completion))
  }

  func lookUpAuthor(then next: @escaping @Sendable () -> Void = {}) {
    start { service.author(of: post) { self.arrive($0, next) { $0.author = $1 } } }
  }

  func lookUpPlace(then next: @escaping @Sendable () -> Void = {}) {
    start { service.place(of: post) { self.arrive($0, next) { $0.place = $1 } } }
  }

  func lookUpAudience() {
    start { service.audience(of: post) { self.arrive($0, {}) { $0.audience = $1 } } }
  }

  func cancel() {
    let creation = state.withLock { state in
      state.isCancelled = true
      return state.isPosting ? state.handles : nil
    }
    // A post that was asked for may exist by now: its answer is the result.
    guard let creation else { return finish(.failure(CancellationError())) }
    for handle in creation { handle.cancel() }
  }

  private func start(_ request: () -> any Cancellable) {
    guard state.withLock({ $0.completion != nil }) else { return }
    let handle = request()
    let isLate = state.withLock { state in
      if state.completion != nil { state.handles.append(handle) }
      return state.completion == nil || state.isCancelled
    }
    if isLate { handle.cancel() }
  }

  private func arrive<Detail>(
    _ result: Result<Detail, any Error>, _ next: () -> Void, keep: (inout State, Detail) -> Void
  ) {
    switch result {
    case .failure(let error): finish(.failure(error))
    case .success(let detail):
      let missing = state.withLock { state in
        keep(&state, detail)
        state.missing -= 1
        return state.missing
      }
      if missing == 0 { createPost() } else { next() }
    }
  }

  private func createPost() {
    let details = state.withLock { state -> PostDetails? in
      guard state.completion != nil, let author = state.author, let place = state.place,
        let audience = state.audience
      else { return nil }
      state.isPosting = true
      state.handles = []
      return PostDetails(author: author, place: place, audience: audience)
    }
    guard let details else { return }
    start { service.createPost(post, details: details) { self.finish($0) } }
  }

  private func finish(_ result: Result<Publication, any Error>) {
    let (completion, handles) = state.withLock { state in
      defer {
        state.completion = nil
        state.handles = []
      }
      return (state.completion, state.handles)
    }
    guard let completion else { return }
    if case .failure = result { for handle in handles { handle.cancel() } }
    completion(result)
  }
}
