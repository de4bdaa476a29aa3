import Synchronization
import UploadScenario

/// One post on its way. One lock guards what is left to start, the receipts, the requests in flight and the first error.
///
/// An error cancels what is in flight. It is reported when all of that has answered: by then no thread starts anything.
final class Job: Cancellable, Sendable {
  private struct State {
    var unstarted: ArraySlice<Media>
    /// In the order of the media files.
    var receipts: [Receipt?]
    /// The start of the job counts, too.
    var inFlight = 1
    var handles: [any Cancellable] = []
    var error: (any Error)?
    var completion: Completion?

    mutating func startNext() -> Media? {
      guard error == nil, let media = unstarted.popFirst() else { return nil }
      inFlight += 1
      return media
    }
  }

  private let state: Mutex<State>
  private let createPost: @Sendable ([Receipt], @escaping Completion) -> any Cancellable

  /// - Parameter createPost: called when nothing is in flight any more, unless there was an error.
  init(
    _ media: [Media], _ completion: @escaping Completion,
    createPost: @escaping @Sendable ([Receipt], @escaping Completion) -> any Cancellable
  ) {
    let receipts = [Receipt?](repeating: nil, count: media.count)
    state = Mutex(State(unstarted: media[...], receipts: receipts, completion: completion))
    self.createPost = createPost
  }

  /// Starts as many media files as the limit allows. The first one takes over the count of the start.
  func run(limit: Int? = nil, _ start: (Media) -> Void = { _ in }) -> Self {
    let first = state.withLock { $0.error == nil ? $0.unstarted.popFirst() : nil }
    if let first { start(first) } else { leave() }
    for _ in 1..<(limit ?? .max) {
      guard let next = state.withLock({ $0.startNext() }) else { break }
      start(next)
    }
    return self
  }

  /// Counts something as in flight. False after an error, and once the post is being created: nothing may start.
  func enter() -> Bool {
    state.withLock { state in
      guard state.error == nil, state.inFlight > 0 else { return false }
      state.inFlight += 1
      return true
    }
  }

  /// Keeps what cancels a request or a timer; cancels it at once after an error.
  func keep(_ handle: any Cancellable) {
    let isKept = state.withLock { state in
      if state.error == nil, state.completion != nil { state.handles.append(handle) }
      return state.error == nil
    }
    if !isKept { handle.cancel() }
  }

  /// Adds the receipt of an upload, or fails. Returns the media file to start in its place.
  func finish(_ result: Result<Receipt, any Error>) -> Media? {
    if case .failure(let error) = result { fail(error) }
    return leave { state in
      if case .success(let receipt) = result { state.receipts[receipt.mediaIndex] = receipt }
      return state.startNext()
    }
  }

  func leave() { leave { _ in } }

  /// Does something in flight, unless there was an error.
  func check<Value>(_ body: () throws -> Value) throws -> Value {
    if let error = state.withLock({ $0.error }) { throw error }
    return try body()
  }

  func cancel() { fail(CancellationError()) }

  /// Keeps the first error, and cancels what is in flight. A post that is under way is cancelled; its answer counts.
  func fail(_ error: any Error) {
    let handles = state.withLock { state -> [any Cancellable] in
      guard state.error == nil, state.completion != nil else { return [] }
      state.error = error
      defer { state.handles = [] }
      return state.handles
    }
    for handle in handles { handle.cancel() }
  }

  /// One request less is in flight. The last one creates the post or reports the error.
  private func leave<Value>(_ update: (inout State) -> Value) -> Value {
    let (value, last) = state.withLock { state in
      let value = update(&state)
      state.inFlight -= 1
      return (value, state.inFlight == 0 ? (state.receipts, state.error) : nil)
    }
    if let (receipts, error) = last {
      if let error { end(.failure(error)) } else { keep(createPost(receipts.compactMap { $0 }, end)) }
    }
    return value
  }

  private func end(_ result: Result<Publication, any Error>) {
    let (completion, error) = state.withLock { state in
      (state.receipts, state.handles) = ([], [])
      return (state.completion.take(), state.error)
    }
    completion?(result.mapError { error ?? $0 })
  }
}

extension Job {
  /// One request of several, unless there was an error.
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
}
