import Synchronization
import UploadScenario

/// One post on its way.
///
/// An upload that ends costs one atomic exchange, so that a second answer is ignored, and one subtraction; and one
/// addition more if a limit makes the next one wait for it. The last one creates the post, on its thread.
/// The caller starts the first ones, as many as may be in flight, and no more: it may still be waking the service's thread
/// when that could go on by itself.
/// Everything else is done in turns: whoever calls `advance` while nobody is at it works, for those as well who
/// come meanwhile. So nothing needs a lock, and a service that completes inline does not deepen the stack.
final class CountdownJob: Cancellable, @unchecked Sendable {
  /// What the uploads have come to; `failed` once the error can be read.
  private enum Fate: UInt8, AtomicRepresentable { case open, claimed, failed, posting }
  /// Whether the answer was written that only the first may write, and others read once it is known.
  private enum Once: UInt8, AtomicRepresentable { case none, claimed, known }

  // What the thread reads that starts the uploads, more than a cache line before what each answer writes.
  private let fate = Atomic<Fate>(.open)
  private let post: Post
  private let service: any UploadService
  private let limit: Int
  // Invariant: written once, by the one who claimed the fate, before it becomes `failed`.
  private var error: (any Error)?
  // Invariant: written once, by the one who made the fate `posting`, before `isPosted`; then it belongs to the turn.
  private var creation: (any Cancellable)?
  private let isPosted = Atomic<Bool>(false)
  // Invariant: only `start` touches it before `isStarted`, only whoever has the turn after.
  private var firstHandles: [any Cancellable] = []
  private let isStarted = Atomic<Bool>(false)
  private let isCancelled = Atomic<Bool>(false)
  // Invariant: written once, by the one who claimed the answer, before it becomes `known`.
  private var answer: Result<Publication, any Error>?
  private let answering = Atomic<Once>(.none)
  // Invariant: touched only by whoever has the turn; `turns` hands them over.
  private var completion: Completion?
  private var handles: [any Cancellable] = []
  private var started: Int
  private let turns = Atomic<Int>(0)
  private let unfinished: Atomic<Int>
  // Invariant: one for each media file, initialised in init, freed in deinit; every access is an atomic operation.
  private let isAnswered: UnsafeMutablePointer<Atomic<Bool>>
  // Invariant: room for a receipt of each media file, allocated in init and freed in deinit. Whoever sets `isAnswered`
  // writes the receipt before it subtracts from `unfinished`; they are read when that is 0.
  private let receipts: UnsafeMutablePointer<Receipt>

  init(_ post: Post, service: some UploadService, limit: Int, completion: @escaping Completion) {
    self.post = post
    self.service = service
    self.limit = limit
    self.completion = completion
    unfinished = Atomic(post.media.count)
    started = min(limit, post.media.count)
    isAnswered = .allocate(capacity: post.media.count)
    for index in post.media.indices { (isAnswered + index).initialize(to: Atomic(false)) }
    receipts = .allocate(capacity: post.media.count)
  }

  deinit {
    isAnswered.deinitialize(count: post.media.count)
    isAnswered.deallocate()
    receipts.deallocate()
  }

  func start() {
    var handles: [any Cancellable] = []
    handles.reserveCapacity(started)
    for index in 0..<started where fate.load(ordering: .relaxed) == .open { handles.append(upload(index)) }
    firstHandles = handles
    if post.media.isEmpty { createPost() }
    isStarted.store(true, ordering: .sequentiallyConsistent)
    // Who has failed meanwhile has left it to this.
    if fate.load(ordering: .sequentiallyConsistent) != .open { advance() }
  }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    fail(CancellationError())
    // A post that was asked for may exist by now: its answer is the result.
    advance()
  }

  /// Does what is to be done now, unless somebody is at it, who then does it.
  private func advance() {
    guard turns.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    var arrived = 1
    repeat {
      takeTurn()
      arrived = turns.subtract(arrived, ordering: .acquiringAndReleasing).newValue
    } while arrived > 0
  }

  private func takeTurn() {
    guard completion != nil else { return letGo() }
    startUploads()
    switch fate.load(ordering: .acquiring) {
    case .open, .claimed: break
    case .failed:
      guard isStarted.load(ordering: .sequentiallyConsistent) else { return }
      for handle in firstHandles + handles { handle.cancel() }
      finish(.failure(error ?? CancellationError()))
    case .posting:
      letGoOfUploads()
      if answering.load(ordering: .acquiring) == .known, let answer {
        finish(answer)
      } else if isPosted.load(ordering: .acquiring), isCancelled.load(ordering: .acquiring) {
        creation?.cancel()
      }
    }
  }

  private func startUploads() {
    let count = post.media.count
    while started < count, fate.load(ordering: .relaxed) == .open {
      guard limit >= count || started - (count - unfinished.load(ordering: .relaxed)) < limit else { return }
      started += 1
      handles.append(upload(started - 1))
    }
  }

  private func upload(_ index: Int) -> any Cancellable {
    service.upload(post.media[index]) { result in
      guard !self.isAnswered[index].exchange(true, ordering: .relaxed) else { return }
      switch result {
      case .success(let receipt): self.finishUpload(index, receipt)
      case .failure(let error): self.fail(error)
      }
    }
  }

  private func finishUpload(_ index: Int, _ receipt: Receipt) {
    (receipts + index).initialize(to: receipt)
    let left = unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { createPost() } else if limit < post.media.count { advance() }
  }

  private func fail(_ error: any Error) {
    let claim = fate.compareExchange(expected: .open, desired: .claimed, ordering: .relaxed)
    guard claim.exchanged else { return }
    self.error = error
    fate.store(.failed, ordering: .sequentiallyConsistent)
    advance()
  }

  /// Asks for the post, unless the job has failed. Its answer may come before this returns.
  private func createPost() {
    let claim = fate.compareExchange(expected: .open, desired: .posting, ordering: .acquiringAndReleasing)
    guard claim.exchanged else { return }
    let receipts = Array(UnsafeBufferPointer(start: receipts, count: post.media.count))
    creation = service.createPost(post, receipts: receipts) { result in
      let claim = self.answering.compareExchange(expected: .none, desired: .claimed, ordering: .relaxed)
      guard claim.exchanged else { return }
      self.answer = result
      self.answering.store(.known, ordering: .releasing)
      self.advance()
    }
    isPosted.store(true, ordering: .releasing)
    advance()
  }

  private func finish(_ result: Result<Publication, any Error>) {
    let completion = completion
    self.completion = nil
    letGo()
    completion?(result)
  }

  /// Of every handle that is kept by now: what was asked for may have been answered before that, and is let go of later.
  private func letGo() {
    letGoOfUploads()
    if isPosted.load(ordering: .acquiring) { creation = nil }
  }

  private func letGoOfUploads() {
    handles = []
    if isStarted.load(ordering: .acquiring) { firstHandles = [] }
  }
}
