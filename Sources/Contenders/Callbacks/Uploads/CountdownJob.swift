import Synchronization
import UploadScenario

/// One post on its way.
///
/// An upload that ends costs one atomic exchange, so that a second answer is ignored, and one subtraction; and one
/// addition more if a limit makes the next one wait for it.
/// Everything else is done in turns: whoever calls `advance` while nobody is at it works, for those as well who
/// come meanwhile. So nothing needs a lock, and a service that completes inline does not deepen the stack.
final class CountdownJob<Service: UploadService>: Cancellable, @unchecked Sendable {
  /// Whether something was written that only the first may write, and others read once it is known.
  private enum Once: UInt8, AtomicRepresentable { case none, claimed, known }

  private let post: Post
  private let service: Service
  private let limit: Int
  private let turns = Atomic<Int>(0)
  private let failure = Atomic<Once>(.none)
  private let unfinished: Atomic<Int>
  // Invariant: one for each media file, initialised in init, freed in deinit; every access is an atomic operation.
  private let isAnswered: UnsafeMutablePointer<Atomic<Bool>>
  // Invariant: room for a receipt of each media file, allocated in init and freed in deinit. Whoever sets `isAnswered`
  // writes the receipt before it subtracts from `unfinished`; they are read when that is 0.
  private let receipts: UnsafeMutablePointer<Receipt>
  // Invariant: written once, by the one who claimed the failure, before it becomes `known`.
  private var error: (any Error)?
  // Invariant: written once, by the one who claimed the answer, before it becomes `known`.
  private var answer: Result<Publication, any Error>?
  private let answering = Atomic<Once>(.none)
  // Invariant: touched only by whoever has the turn; `turns` hands them over.
  private var completion: Completion?
  private var handles: [any Cancellable] = []
  private var started = 0
  private var isPosting = false

  init(_ post: Post, service: Service, limit: Int, completion: @escaping Completion) {
    self.post = post
    self.service = service
    self.limit = limit
    self.completion = completion
    unfinished = Atomic(post.media.count)
    isAnswered = .allocate(capacity: post.media.count)
    for index in post.media.indices { (isAnswered + index).initialize(to: Atomic(false)) }
    receipts = .allocate(capacity: post.media.count)
    handles.reserveCapacity(post.media.count + 1)
  }

  deinit {
    isAnswered.deinitialize(count: post.media.count)
    isAnswered.deallocate()
    receipts.deallocate()
  }

  func cancel() { fail(CancellationError()) }

  /// Does what is to be done now, unless somebody is at it, who then does it.
  func advance() {
    guard turns.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    var arrived = 1
    repeat {
      takeTurn()
      arrived = turns.subtract(arrived, ordering: .acquiringAndReleasing).newValue
    } while arrived > 0
  }

  private func takeTurn() {
    guard completion != nil else { return }
    if !isPosting { startUploads() }
    let failure = failure.load(ordering: .acquiring)
    if failure == .known, answering.load(ordering: .acquiring) != .known {
      for handle in handles { handle.cancel() }
      // A post that was asked for may exist by now: its answer is the result.
      if !isPosting { finish(.failure(error ?? CancellationError())) }
    } else if failure == .none, !isPosting, unfinished.load(ordering: .acquiring) == 0 {
      createPost()
    }
    if isPosting, answering.load(ordering: .acquiring) == .known, let answer { finish(answer) }
  }

  private func startUploads() {
    let count = post.media.count
    while started < count, failure.load(ordering: .relaxed) == .none {
      guard limit >= count || started - (count - unfinished.load(ordering: .relaxed)) < limit else { return }
      let index = started
      started += 1
      handles.append(
        service.upload(post.media[index]) { result in
          guard !self.isAnswered[index].exchange(true, ordering: .relaxed) else { return }
          switch result {
          case .success(let receipt): self.finishUpload(index, receipt)
          case .failure(let error): self.fail(error)
          }
        })
    }
  }

  private func finishUpload(_ index: Int, _ receipt: Receipt) {
    (receipts + index).initialize(to: receipt)
    let left = unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 || limit < post.media.count { advance() }
  }

  private func fail(_ error: any Error) {
    let claim = failure.compareExchange(expected: .none, desired: .claimed, ordering: .relaxed)
    guard claim.exchanged else { return }
    self.error = error
    failure.store(.known, ordering: .releasing)
    advance()
  }

  private func createPost() {
    isPosting = true
    let receipts = Array(UnsafeBufferPointer(start: receipts, count: post.media.count))
    handles = [
      service.createPost(post, receipts: receipts) { result in
        let claim = self.answering.compareExchange(expected: .none, desired: .claimed, ordering: .relaxed)
        guard claim.exchanged else { return }
        self.answer = result
        self.answering.store(.known, ordering: .releasing)
        self.advance()
      }
    ]
  }

  private func finish(_ result: Result<Publication, any Error>) {
    let completion = completion
    self.completion = nil
    handles = []
    completion?(result)
  }
}
