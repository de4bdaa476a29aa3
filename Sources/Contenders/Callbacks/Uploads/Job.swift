import Synchronization
import UploadScenario

/// What the requests of a post have brought.
struct Progress: Sendable {
  /// In the order of the media, or of the chunks.
  var receipts: [Receipt?]
  /// How many results the post waits for.
  var missing: Int
  /// How many uploads were started; of a stream, those that are under way.
  var started = 0
  var details = Details()
  /// By media file, until it is decided.
  var races: [Int: Race] = [:]
  /// Nil while a thread reads, and at the end.
  var reader: ChunkReader?
  /// Read, and not yet uploading.
  var chunks: [Chunk] = []

  mutating func startNext() -> Int? {
    guard started < receipts.count else { return nil }
    defer { started += 1 }
    return started
  }

  mutating func add(_ receipt: Receipt) {
    receipts[receipt.mediaIndex] = receipt
    missing -= 1
  }

  func createPost(_ post: Post, on service: any UploadService, completion: @escaping Completion)
    -> any Cancellable
  {
    guard let author = details.author, let place = details.place, let audience = details.audience else {
      return service.createPost(post, receipts: receipts.compactMap { $0 }, completion: completion)
    }
    let details = PostDetails(author: author, place: place, audience: audience)
    return service.createPost(post, details: details, completion: completion)
  }
}

/// One post on its way. One lock guards its progress, the count of requests in flight and the first error.
///
/// An error cancels the other requests, and is reported when all have answered: by then no thread is about to start one.
final class Job: Cancellable, Sendable {
  private struct State {
    /// Nil once the post is being created.
    var progress: Progress?
    /// The start of the job counts, too.
    var inFlight = 1
    /// What cancels requests, and timers.
    var handles: [any Cancellable] = []
    var error: (any Error)?
    var completion: Completion?
  }

  let post: Post
  let service: any UploadService
  private let state: Mutex<State>

  init(_ post: Post, _ service: any UploadService, missing: Int, _ completion: @escaping Completion) {
    (self.post, self.service) = (post, service)
    let receipts = [Receipt?](repeating: nil, count: post.media.count)
    state = Mutex(State(progress: Progress(receipts: receipts, missing: missing), completion: completion))
  }

  /// Starts as many media files as may be in flight at once.
  func run(limit: Int? = nil, _ start: (Media) -> Void) -> Self {
    post.media.prefix(limit ?? .max).forEach(start)
    finish { _ in }
    return self
  }

  /// Takes something to do and counts it as in flight; nil: nothing is left, or the job has failed.
  func begin<Work>(_ take: (inout Progress) -> Work? = { _ in true }) -> Work? {
    state.withLock { state in
      guard state.error == nil, state.progress != nil, let work = take(&state.progress!) else { return nil }
      state.inFlight += 1
      return work
    }
  }

  /// Keeps what cancels a request or a timer. Cancels it at once if the job has failed, or its pattern needs it no more.
  func keep(_ handle: any Cancellable, if isWanted: (inout Progress) -> Bool = { _ in true }) {
    let isKept = state.withLock { state in
      guard state.error == nil, state.progress == nil || isWanted(&state.progress!) else { return false }
      if state.completion != nil { state.handles.append(handle) }
      return true
    }
    if !isKept { handle.cancel() }
  }

  /// Ends what `begin` began. What `update` throws is the job's error; once nothing is missing, the post is created.
  func finish(_ update: (inout Progress) throws -> Void) {
    do {
      let complete = try state.withLock { state -> Progress? in
        state.inFlight -= 1
        if let error = state.error { throw error }
        guard state.progress != nil else { return nil }
        try update(&state.progress!)
        guard state.progress!.missing == 0 else { return nil }
        state.inFlight += 1
        return state.progress.take()
      }
      if let complete { keep(complete.createPost(post, on: service, completion: end)) }
    } catch { fail(error) }
  }

  /// Ends the job with this error, unless another one came before. A post that is under way is cancelled; its answer counts.
  func fail(_ error: any Error) {
    let handles = state.withLock { state -> [any Cancellable] in
      guard state.error == nil, state.completion != nil else { return [] }
      state.error = error
      defer { state.handles = [] }
      return state.handles
    }
    for handle in handles { handle.cancel() }
    if state.withLock({ $0.inFlight == 0 }) { end(.failure(error)) }
  }

  func cancel() { fail(CancellationError()) }

  private func end(_ result: Result<Publication, any Error>) {
    let (completion, error) = state.withLock { state in
      (state.progress, state.handles) = (nil, [])
      return (state.completion.take(), state.error)
    }
    completion?(result.mapError { error ?? $0 })
  }
}
