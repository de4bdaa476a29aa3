import Dispatch
import Synchronization
import UploadScenario

/// One post on its way: a thread that starts uploads and blocks until there is a place, and a lock that guards the results.
///
/// What the service answers is handled on its own thread: if it took one of Dispatch's, a few hundred blocked feeders
/// would have them all.
final class FeederJob<Service: UploadService>: Cancellable, Sendable {
  private struct State {
    var failure: (any Error)?
    var receipts: [Receipt?]
    var answered: Set<Int> = []
    var handles: [Int: any Cancellable] = [:]
    var completion: Completion?
  }

  let group = DispatchGroup()
  let queue = DispatchQueue(label: "feeder")
  private let post: Post
  private let service: Service
  // It begins at 0: Dispatch takes one that ends below its first value for one that is still in use.
  private let places = DispatchSemaphore(value: 0)
  private let state: Mutex<State>

  init(_ post: Post, service: Service, limit: Int?, completion: @escaping Completion) {
    self.post = post
    self.service = service
    state = Mutex(State(receipts: Array(repeating: nil, count: post.media.count), completion: completion))
    for _ in 0..<min(limit ?? .max, post.media.count) { places.signal() }
  }

  func cancel() { fail(CancellationError()) }

  /// Starts every upload as soon as there is a place; blocks the calling thread meanwhile.
  func feed() {
    for media in post.media {
      places.wait()
      guard state.withLock({ $0.failure == nil }) else { return }
      group.enter()
      start(media.index, { service.upload(media, completion: $0) }) { result in
        switch result {
        case .success(let receipt): self.state.withLock { $0.receipts[media.index] = receipt }
        case .failure(let error): self.fail(error)
        }
        self.places.signal()
        self.group.leave()
      }
    }
  }

  func createPost() {
    let (failure, receipts) = state.withLock { ($0.failure, $0.receipts.compactMap { $0 }) }
    if let failure { return finish(.failure(failure)) }
    start(post.media.count, { service.createPost(post, receipts: receipts, completion: $0) }) {
      self.finish($0)
    }
  }

  private func start<Value>(
    _ number: Int,
    _ request: (@escaping Callback<Value>) -> any Cancellable,
    then next: @escaping Callback<Value>
  ) {
    let handle = request { result in
      let isFirst = self.state.withLock { state in
        state.handles[number] = nil
        return state.answered.insert(number).inserted
      }
      if isFirst { next(result) }
    }
    let hasFailed = state.withLock { state in
      if !state.answered.contains(number) { state.handles[number] = handle }
      return state.failure != nil
    }
    if hasFailed { handle.cancel() }
  }

  private func fail(_ error: any Error) {
    let handles = state.withLock { state -> [any Cancellable]? in
      guard state.failure == nil, state.completion != nil else { return nil }
      state.failure = error
      return Array(state.handles.values)
    }
    guard let handles else { return }
    for handle in handles { handle.cancel() }
    // For the feeder, which may be waiting.
    places.signal()
  }

  private func finish(_ result: Result<Publication, any Error>) {
    state.withLock { $0.completion.take() }?(result)
  }
}
