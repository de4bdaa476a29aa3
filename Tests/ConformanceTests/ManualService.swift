import Synchronization
import UploadScenario

/// A service that answers when the test says so, on the thread that the test says it on. A lookup counts as an upload.
final class ManualService: UploadService {
  /// One call, held until it is answered.
  private struct Pending {
    let answer: @Sendable (Result<Void, any Error>) -> Void
    var isCancelled = false
  }

  private struct State {
    var uploads: [Int: Pending] = [:]
    var post: Pending?
    var started: [Int] = []
    var cancelled: Set<Int> = []
    var peakInFlight = 0
    var posts: [[Receipt]] = []
  }

  private let state = Mutex(State())

  func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    hold(request.ledgerIndex) { completion($0.map { request.receipt }) }
  }

  private func hold(_ index: Int, answer: @escaping @Sendable (Result<Void, any Error>) -> Void)
    -> any Cancellable
  {
    state.withLock { state in
      state.started.append(index)
      state.uploads[index] = Pending(answer: answer)
      state.peakInFlight = max(state.peakInFlight, state.uploads.count)
    }
    return Handle { [weak self] in
      self?.state.withLock { state in
        guard state.uploads[index] != nil else { return }
        state.uploads[index]?.isCancelled = true
        state.cancelled.insert(index)
      }
    }
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    state.withLock { state in
      state.posts.append(receipts)
      state.post = Pending { completion($0.map { Publication(postID: post.id, receipts: receipts) }) }
    }
    return Handle { [weak self] in self?.state.withLock { $0.post?.isCancelled = true } }
  }

  // MARK: What the test sees

  /// Which uploads were started, in that order.
  var started: [Int] { state.withLock { $0.started } }
  /// Which are in flight, by index.
  var inFlight: [Int] { state.withLock { $0.uploads.keys.sorted() } }
  /// Those in flight that were not cancelled.
  var inFlightUncancelled: [Int] {
    state.withLock { state in state.uploads.filter { !$0.value.isCancelled }.keys.sorted() }
  }
  /// Which were cancelled while they were in flight.
  var cancelled: Set<Int> { state.withLock { $0.cancelled } }
  var peakInFlight: Int { state.withLock { $0.peakInFlight } }
  /// The receipts of every post that was asked for.
  var posts: [[Receipt]] { state.withLock { $0.posts } }
  var isPostInFlight: Bool { state.withLock { $0.post != nil } }
  var isPostCancelled: Bool { state.withLock { $0.post?.isCancelled ?? false } }

  // MARK: What the test does

  func answerUpload(_ index: Int, _ result: Result<Void, any Error> = .success(())) {
    state.withLock { $0.uploads.removeValue(forKey: index) }?.answer(result)
  }

  func answerPost(_ result: Result<Void, any Error> = .success(())) {
    state.withLock { state in state.post.take() }?.answer(result)
  }

  /// Answers everything that was cancelled, as a real service does promptly.
  func answerCancelled() {
    let (uploads, post) = state.withLock { state in
      let cancelled = state.uploads.filter(\.value.isCancelled)
      for index in cancelled.keys { state.uploads[index] = nil }
      return (Array(cancelled.values), state.post?.isCancelled == true ? state.post.take() : nil)
    }
    for pending in uploads { pending.answer(.failure(CancellationError())) }
    post?.answer(.failure(CancellationError()))
  }
}

final class Handle: Cancellable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  func cancel() { action() }
}
