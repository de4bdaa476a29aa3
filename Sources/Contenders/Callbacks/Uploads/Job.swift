import Dispatch
import Synchronization
import UploadScenario

/// One post on its way, and one lock for all that changes. An error cancels what is in flight, and is reported when all of
/// that has answered: by then no thread starts anything.
final class Job: Cancellable, Sendable {
  private struct State {
    var unstarted: ArraySlice<Media>
    var receipts: [Receipt?]
    /// The start of the job counts, too.
    var inFlight = 1
    /// Nil after an error and after the end.
    var handles: [any Cancellable]? = []
    var error: (any Error)?
    var completion: Completion?
  }

  private let state: Mutex<State>
  private let createPost: @Sendable ([Receipt], @escaping Completion) -> any Cancellable

  /// - Parameter createPost: called when nothing is in flight any more, unless there was an error.
  init(
    _ media: [Media], _ completion: @escaping Completion,
    createPost: @escaping @Sendable ([Receipt], @escaping Completion) -> any Cancellable
  ) {
    state = Mutex(State(unstarted: media[...], receipts: media.map { _ in nil }, completion: completion))
    self.createPost = createPost
  }

  /// Starts as many media files as the limit allows.
  func run(limit: Int? = nil, _ start: (Media) -> Void = { _ in }) -> Self {
    for _ in 0..<(limit ?? .max) {
      guard let media = state.withLock({ $0.unstarted.popFirst() }) else { break }
      start(media)
    }
    leave()
    return self
  }

  /// Adds the receipt of an upload, and starts the next one in its place.
  func add(_ receipt: Receipt, startNext: (Media) -> Void) {
    let next = state.withLock { state in
      state.receipts[receipt.mediaIndex] = receipt
      return state.unstarted.popFirst()
    }
    if let next { startNext(next) }
  }

  /// Makes a request, unless there was an error.
  func request<Value>(
    _ start: (@escaping Callback<Value>) -> any Cancellable, then next: @escaping @Sendable (Value) -> Void
  ) {
    guard enter() else { return }
    let request = start { result in
      switch result {
      case .success(let value): next(value)
      case .failure(let error): self.fail(error)
      }
      self.leave()
    }
    keep(request)
  }

  /// Does something on a queue, unless there was an error.
  func perform(on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Void) {
    guard enter() else { return }
    queue.async {
      do { if self.state.withLock({ $0.error == nil }) { try body() } } catch { self.fail(error) }
      self.leave()
    }
  }

  /// Counts something as in flight. False after an error, and once the post is being created: nothing may start.
  func enter() -> Bool {
    state.withLock { state in
      guard state.error == nil, state.inFlight > 0 else { return false }
      state.inFlight += 1
      return true
    }
  }

  /// Counts one less in flight. The last one creates the post or reports the error.
  func leave() {
    let last = state.withLock { state in
      state.inFlight -= 1
      return state.inFlight == 0 ? (state.receipts, state.error) : nil
    }
    guard let (receipts, error) = last else { return }
    if let error { end(.failure(error)) } else { keep(createPost(receipts.compactMap { $0 }, end)) }
  }

  /// Keeps what cancels a request or a timer; cancels it at once after an error.
  func keep(_ handle: any Cancellable) {
    let error = state.withLock { state in
      state.handles?.append(handle)
      return state.error
    }
    if error != nil { handle.cancel() }
  }

  func cancel() { fail(CancellationError()) }

  /// Keeps the first error, and cancels what is in flight. A post that is under way is cancelled; its answer counts.
  func fail(_ error: any Error) {
    let handles = state.withLock { state in
      if state.handles != nil { state.error = error }
      return state.handles.take()
    }
    for handle in handles ?? [] { handle.cancel() }
  }

  private func end(_ result: Result<Publication, any Error>) {
    let (completion, error) = state.withLock { state in
      (state.receipts, state.handles) = ([], nil)
      return (state.completion.take(), state.error)
    }
    completion?(result.mapError { error ?? $0 })
  }
}
