import Dispatch
import Foundation
import Synchronization
import UploadScenario

/// One post. The first thread to enter takes all due steps in order, including those of other threads.
class Job<Service: UploadService>: Cancellable, @unchecked Sendable {
  // Invariant: everything below `turns` is accessed only inside `enter`, by one thread at a time, as `turns` ensures.
  private struct Turns {
    var waiting: [@Sendable () -> Void] = []
    var isTaken = false
  }

  struct Details {
    var author: Author?
    var place: Place?
    var audience: Audience?
  }

  let post: Post
  let service: Service
  let flaw: Flaw?
  /// Checked by work that has waited for a thread.
  let isOver = Atomic(false)
  private let turns = Mutex(Turns())
  private let lockOfCancel = NSRecursiveLock()
  private(set) var completion: Completion?
  private var inFlight: [Int: any Cancellable] = [:]
  private var lastID = 0
  private var isPosting = false
  private var count: Int
  private let width: Int
  private var started = 0
  private var running = 0
  private var arrivals = 0
  private var receipts: [Int: Receipt] = [:]
  private var order: [Int] = []
  private var details = Details()
  private var begin: @Sendable (Job, Int) -> Void = { _, _ in }
  var hasTakenTheLast = false
  var hasRetried = false
  var completesFirst = false
  private var preparedAhead: [Int: PreparedMedia] = [:]

  init(
    _ post: Post, _ service: Service, _ flaw: Flaw?, count: Int, width: Int,
    _ completion: @escaping Completion
  ) {
    self.post = post
    self.service = service
    self.flaw = flaw
    self.count = count
    self.completion = completion
    completesFirst = flaw == .completesBeforeCancelling
    self.width =
      switch flaw {
      case .exceedsTheLimitByOne where width < .max: width + 1
      case .exceedsALimitOf47 where width == 47: 48
      case .oneAfterAnother: 1
      default: width
      }
  }

  func enter(_ step: @escaping @Sendable () -> Void) {
    let isFree = turns.withLock { turns in
      turns.waiting.append(step)
      defer { turns.isTaken = true }
      return !turns.isTaken
    }
    guard isFree else { return }
    while let step = turns.withLock({ turns in
      turns.isTaken = !turns.waiting.isEmpty
      return turns.isTaken ? turns.waiting.removeFirst() : nil
    }) { step() }
  }

  func start(_ begin: @escaping @Sendable (Job, Int) -> Void) -> any Cancellable {
    // Gives up after five seconds, so that a test ends.
    if flaw == .locksAllPosts, lockOfAllPosts.lock(before: Date() + 5) { lockOfAllPosts.unlock() }
    enter {
      self.begin = begin
      self.advance()
    }
    return flaw == .diesWithItsHandle ? MortalHandle(self) : self
  }

  func start(failingWith error: any Error) -> any Cancellable {
    enter { self.finish(.failure(error)) }
    return self
  }

  func cancel() {
    if flaw == .swallowsCancel { return }
    if flaw == .locksWhilePreparing { lockOfPreparations.withLock {} }
    if flaw == .leaksOnCancel { leaked.withLock { $0.append(self) } }
    if flaw == .locksItsCancel { return lockOfCancel.withLock { stop() } }
    stop()
  }

  private func stop() {
    enter {
      guard self.completion != nil else { return }
      guard self.isPosting else { return self.finish(.failure(CancellationError())) }
      // The post may exist: its answer is the result.
      if self.flaw != .keepsThePost { for handle in self.inFlight.values { handle.cancel() } }
    }
  }

  /// Starts uploads up to the limit, and the post once all have arrived.
  func advance() {
    while completion != nil, started < count, running < width {
      let index = started
      started += 1
      running += 1
      begin(self, index)
      if flaw == .uploadsTwice, index == 1 { begin(self, index) }
    }
    if arrivals == count || flaw == .postsEarly && arrivals > 0 && arrivals == count - 1 { createPost() }
  }

  /// Makes a request; its answer counts once, while the job goes on.
  @discardableResult
  func ask<Value: Sendable>(
    _ request: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable,
    _ answered: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Int {
    guard completion != nil else { return 0 }
    lastID += 1
    let id = lastID
    inFlight[id] = request { result in
      self.enter {
        guard self.inFlight.removeValue(forKey: id) != nil || self.flaw == .completesTwice else { return }
        answered(result)
      }
    }
    return id
  }

  func forget(_ id: Int) { inFlight.removeValue(forKey: id)?.cancel() }

  /// Takes a step later, unless the job has ended or forgotten it.
  @discardableResult
  func after(_ delay: Duration, _ step: @escaping @Sendable () -> Void) -> Int {
    lastID += 1
    let id = lastID
    let isLeak = flaw == .leaksTheTimer
    inFlight[id] = Alarm(delay, on: DispatchQueue(label: "job")) { [self] in
      enter {
        guard self.inFlight.removeValue(forKey: id) != nil else { return }
        step()
      }
    }.stubborn(isLeak)
    if isLeak { leaked.withLock { $0.append(inFlight[id]!) } }
    return id
  }

  func upload(_ request: Request, as index: Int) {
    ask({ service.perform(request, completion: $0) }) { self.arrived(index, $0) }
  }

  func arrived(_ index: Int, _ result: Result<Receipt, any Error>) {
    arrived(index, result) { _, _ in }
    if case .success(let receipt) = result {
      receipts[index] = receipt
      advance()
    }
  }

  func arrived<Value>(
    _ index: Int, _ result: Result<Value, any Error>, keep: (inout Details, Value) -> Void
  ) {
    switch result {
    case .success(let value):
      keep(&details, value)
      running -= 1
      order.append(index)
      if flaw == .forgetsOneArrival, index == 1 { return }
      arrivals += 1
      if !(value is Receipt) { advance() }
    case .failure(let error): fail(error)
    }
  }

  func fail(_ error: any Error) {
    switch flaw {
    case .startsAfterAFailure where started < count:
      started += 1
      begin(self, started - 1)
    case .postsAfterAFailure:
      ask({ service.createPost(post, receipts: [], completion: $0) }) { _ in }
    default: break
    }
    finish(.failure(error))
  }

  func expire() {
    if flaw == .forgetsThePostAtTheDeadline, isPosting, hasRetried { inFlight = [:] }
    finish(.failure(DeadlineExceeded()))
  }

  /// The number of uploads is known.
  func end(at count: Int) {
    self.count = count
    advance()
  }

  private func createPost() {
    guard !isPosting, completion != nil else { return }
    isPosting = true
    let receipts = (flaw == .keepsOrderOfArrival ? order : Array(0..<count)).compactMap { self.receipts[$0] }
    if let author = details.author, let place = details.place, let audience = details.audience {
      let details = PostDetails(author: author, place: place, audience: audience)
      ask({ service.createPost(post, details: details, completion: $0) }) { self.posted($0, []) }
    } else {
      let isLocked = flaw == .locksAllPosts && lockOfAllPosts.lock(before: Date() + 5)
      ask({ service.createPost(post, receipts: receipts, completion: $0) }) { self.posted($0, receipts) }
      if isLocked { lockOfAllPosts.unlock() }
    }
  }

  private func posted(_ result: Result<Publication, any Error>, _ receipts: [Receipt]) {
    if flaw == .ignoresARefusedPost, case .failure = result {
      return finish(.success(Publication(postID: post.id, receipts: receipts)))
    }
    finish(result)
  }

  func finish(_ result: Result<Publication, any Error>) {
    guard let completion else { return }
    let handles = inFlight.values
    isOver.store(true, ordering: .releasing)
    if flaw != .completesTwice { self.completion = nil }
    begin = { _, _ in }
    inFlight = [:]
    if completesFirst { completion(result) }
    if flaw != .cancelsNothing {
      for handle in handles.prefix(flaw == .cancelsFortyFirst ? 40 : .max) { handle.cancel() }
    }
    if !completesFirst { completion(result) }
    if flaw == .cancelsFortyFirst { for handle in handles.dropFirst(40) { handle.cancel() } }
  }

  // MARK: presigned

  func prepare(_ media: Media, then next: @escaping @Sendable (PreparedMedia) -> Void) {
    if let prepared = preparedAhead[media.index] { return next(prepared) }
    let service = service
    let work = { @Sendable [self] in
      if isOver.load(ordering: .acquiring) { return }
      if flaw == .preparesTwice { _ = try? service.prepare(media) }
      if flaw == .locksWhilePreparing { lockOfPreparations.lock() }
      let result = Result { try service.prepare(media) }
      if flaw == .locksWhilePreparing { lockOfPreparations.unlock() }
      enter {
        switch result {
        case .success(let prepared) where self.completion == nil && self.flaw == .usesWhatWasAbandoned:
          service.issueURL(for: prepared) { _ in }.cancel()
        case .success(let prepared): next(prepared)
        case .failure(let error): self.fail(error)
        }
      }
    }
    if flaw == .preparesOnTheCaller {
      work()
    } else {
      DispatchQueue.global().async(execute: DispatchWorkItem(block: work))
    }
  }

  func prepareAhead(_ media: Media) {
    enter {
      let service = self.service
      self.preparedAhead[media.index] = DispatchQueue.global().sync { try? service.prepare(media) }
    }
  }
}

/// Objects that mutants leak on purpose.
let leaked = Mutex<[any Cancellable]>([])

private let lockOfAllPosts = NSLock()
private let lockOfPreparations = NSLock()

/// A handle whose release ends the job.
private final class MortalHandle<Service: UploadService>: Cancellable {
  private let job: Job<Service>
  init(_ job: Job<Service>) { self.job = job }
  func cancel() { job.cancel() }
  deinit { job.cancel() }
}
