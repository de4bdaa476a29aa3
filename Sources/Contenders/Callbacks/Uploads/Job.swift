import Dispatch
import Synchronization
import UploadScenario

/// The job of one post, with one lock. An error cancels the requests in flight, and the completion gets it after their answers.
final class Job: Cancellable, Sendable {
  typealias CreatePost = @Sendable ([Receipt], @escaping Completion) -> any Cancellable
  private struct State {
    var unstarted: ArraySlice<Media>
    var receipts: [Receipt?]
    var done = 0
    var inFlight = 0
    var isPosting = false
    /// The handles of the requests in flight. `nil` after an error and after the end of the job.
    var handles: [any Cancellable]? = []
    var error: (any Error)?
    var completion: Completion?
  }

  private let state: Mutex<State>
  private let createPost: CreatePost
  init(_ media: [Media], _ completion: @escaping Completion, createPost: @escaping CreatePost) {
    state = Mutex(State(unstarted: media[...], receipts: media.map { _ in nil }, completion: completion))
    self.createPost = createPost
    // For a post without media files, the start of the job counts as a request in flight.
    if media.isEmpty { _ = enter() }
  }

  func run(limit: Int? = nil, _ start: (Media) -> Void = { _ in }) -> Self {
    var started = 0
    while started < limit ?? .max, let media = state.withLock({ $0.unstarted.popFirst() }) {
      start(media)
      started += 1
    }
    if started == 0 { leave() }
    return self
  }

  /// Adds the receipt of an upload and starts the next upload. If the upload failed, fails the job.
  func end(_ upload: Result<Receipt, any Error>, startNext: (Media) -> Void) {
    do {
      let receipt = try upload.get()
      let next = state.withLock { state in
        state.receipts[receipt.mediaIndex] = receipt
        state.done += 1
        return state.unstarted.popFirst()
      }
      if let next { startNext(next) }
    } catch { fail(error) }
  }

  func request<Value>(
    _ start: (@escaping Callback<Value>) -> any Cancellable, then next: @escaping @Sendable (Value) -> Void
  ) {
    guard enter() else { return }
    let request = start { result in
      do { next(try result.get()) } catch { self.fail(error) }
      self.leave()
    }
    keep(request)
  }

  func perform(on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Void) {
    guard enter() else { return }
    queue.async {
      do { if self.state.withLock({ $0.error == nil }) { try body() } } catch { self.fail(error) }
      self.leave()
    }
  }

  /// Records that a request is in flight. Returns false if the job has failed or has already made its last request.
  func enter() -> Bool {
    state.withLock { state in
      guard state.error == nil, !state.isPosting else { return false }
      state.inFlight += 1
      return true
    }
  }

  /// Records that a request has ended. After the last one, creates the post or reports the error.
  func leave() {
    let last = state.withLock { state -> ([Receipt?], (any Error)?)? in
      state.inFlight -= 1
      guard state.inFlight == 0, state.error != nil || state.done == state.receipts.count else { return nil }
      (state.inFlight, state.isPosting) = (1, true)
      return (state.receipts, state.error)
    }
    guard let (receipts, error) = last else { return }
    if let error { complete(.failure(error)) } else { keep(createPost(receipts.compactMap { $0 }, complete)) }
  }

  /// Stores a handle to cancel. If there has been an error, cancels the handle immediately.
  func keep(_ handle: any Cancellable) {
    let error = state.withLock { state in
      state.handles?.append(handle)
      return state.error
    }
    if error != nil { handle.cancel() }
  }

  func cancel() { fail(CancellationError()) }
  /// Stores the first error and cancels the requests in flight. A cancelled request to create the post may still succeed.
  func fail(_ error: any Error) {
    let handles = state.withLock { state in
      if state.handles != nil { (state.error, state.inFlight) = (error, state.inFlight + 1) }
      return state.handles.take()
    }
    guard let handles else { return }
    for handle in handles { handle.cancel() }
    leave()
  }

  private func complete(_ result: Result<Publication, any Error>) {
    let (completion, error) = state.withLock { state in
      (state.receipts, state.handles) = ([], nil)
      return (state.completion.take(), state.error)
    }
    completion?(result.mapError { error ?? $0 })
  }
}
