import Dispatch
import Foundation
import UploadScenario

/// One post on its way: one lock, a handle for each request and timer, an array of receipts.
class PlainJob: Cancellable, @unchecked Sendable {
  // Invariant: `lock` guards all that changes.
  let lock = NSRecursiveLock()
  let post: Post
  let service: any UploadService
  let slip: Slip?
  let limit: Int
  private var completion: Completion?
  /// How the job ends; nil: it goes on.
  private var result: Result<Publication, any Error>?
  /// How many threads are in a call of the service: the completion waits for them.
  private var busy = 0
  private var lastID = 0
  /// What is under way.
  private var open: Set<Int> = []
  private var handles: [Int: any Cancellable] = [:]
  private var next = 0
  private var running = 0
  var receipts: [Receipt?]
  private var arrived: [Receipt] = []
  private var missing: Int
  private var isPosting = false
  var isCancelled = false
  private var onEnd: (() -> Void)?
  private let places: DispatchSemaphore

  init(
    _ post: Post, _ service: some UploadService, _ slip: Slip?, limit: Int?,
    _ completion: @escaping Completion
  ) {
    (self.post, self.service, self.slip, self.completion) = (post, service, slip, completion)
    self.limit = limit ?? .max
    missing = post.media.count
    receipts = Array(repeating: nil, count: missing)
    places = DispatchSemaphore(value: 0)
    if slip == .keepsItself { onEnd = { self.lock.withLock { self.onEnd = nil } } }
  }

  var hasEnded: Bool { lock.withLock { result != nil } }

  func cancel() {
    let isLost = lock.withLock {
      slip == .losesACancelBeforeThePost && isPosting && handles.isEmpty && result == nil
    }
    if isLost { return }
    if slip == .reportsAFailureAfterTheCancel {
      let (handles, isIdle) = lock.withLock {
        isCancelled = true
        return (Array(self.handles.values), open.isEmpty)
      }
      for handle in handles { handle.cancel() }
      if !isIdle { return }
    }
    finish(.failure(CancellationError()))
  }

  // MARK: Requests and timers

  /// Makes a request, unless the job has ended. Its answer counts as long as the job goes on and the request is not dropped.
  func ask<Value: Sendable>(
    as id: Int? = nil, _ request: (@escaping Callback<Value>) -> any Cancellable,
    then next: @escaping Callback<Value>
  ) {
    guard let id = begin(id) else { return }
    if slip == .locksWhileItAsks { lock.lock() }
    defer { if slip == .locksWhileItAsks { lock.unlock() } }
    let handle = request { result in
      guard self.close(id) else { return }
      if self.slip == .reportsAFailureAfterTheCancel, self.lock.withLock({ self.isCancelled }) {
        if case .failure(let error) = result { return self.finish(.failure(error)) }
        return self.finish(.failure(CancellationError()))
      }
      next(result)
    }
    keep(handle, as: id)
  }

  func after(_ delay: Duration, as id: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    guard let id = begin(id) else { return }
    let alarm = Alarm(delay, on: DispatchQueue(label: "plain")) { if self.close(id) { body() } }
    keep(alarm, as: id)
  }

  /// For a request or a timer that something needs to know before it is under way.
  func newID() -> Int {
    lock.withLock {
      lastID += 1
      if result == nil { open.insert(lastID) }
      return lastID
    }
  }

  private func begin(_ id: Int?) -> Int? {
    let id = id ?? newID()
    let goesOn = lock.withLock {
      if slip == .startsOnAfterAFailure || slip == .asksForAURLAfterTheStop { open.insert(id) }
      let isLate = slip == .reportsAFailureAfterTheCancel && isCancelled
      guard open.contains(id), !isLate else { return false }
      busy += 1
      return true
    }
    return goesOn ? id : nil
  }

  private func keep(_ handle: any Cancellable, as id: Int) {
    let isWanted = lock.withLock {
      guard open.contains(id), result == nil else { return slip == .cancelsOnlyWhatItHas }
      handles[id] = handle
      return true
    }
    if !isWanted { handle.cancel() }
    leave()
  }

  /// Whether it still counts.
  private func close(_ id: Int) -> Bool {
    lock.withLock {
      handles[id] = nil
      return open.remove(id) != nil && result == nil
    }
  }

  func drop(_ id: Int) {
    lock.withLock {
      open.remove(id)
      return handles.removeValue(forKey: id)
    }?.cancel()
  }

  func cancel(_ id: Int) { lock.withLock { handles[id] }?.cancel() }
  func forget(_ id: Int) { lock.withLock { handles[id] = nil } }

  // MARK: Uploads

  func start() -> any Cancellable {
    if missing == 0, slip != .hangsWithoutMedia { createPost() } else { startMore() }
    return self
  }

  /// What is done for one media file.
  func start(_ index: Int) {}

  func startMore() {
    if slip == .limitsByBatches, lock.withLock({ running > 0 }) { return }
    if slip == .waitsOnTheCaller {
      for index in post.media.indices {
        if index >= limit { places.wait() }
        start(index)
      }
      return
    }
    while let index = nextIndex() { start(index) }
  }

  private func nextIndex() -> Int? {
    lock.withLock {
      guard result == nil || slip == .startsOnAfterAFailure, next < receipts.count, running < limit else {
        return nil
      }
      running += 1
      defer { next += 1 }
      return next
    }
  }

  func givePlaceBack() {
    lock.withLock { running -= 1 }
    startMore()
  }

  func takePlace() { lock.withLock { running += 1 } }

  func uploaded(_ index: Int, _ result: Result<Receipt, any Error>) {
    switch result {
    case .failure(let error): fail(error)
    case .success(let receipt):
      if add(receipt, at: index) { return createPost() }
      if slip == .waitsOnTheCaller { places.signal() } else { startMore() }
    }
  }

  /// Whether it was the last.
  private func add(_ receipt: Receipt, at index: Int) -> Bool {
    switch slip {
    case .countsInTwoSteps:
      let left = lock.withLock { missing }
      lock.withLock {
        receipts[index] = receipt
        running -= 1
        missing = left - 1
      }
      return left == 1
    case .seesTheLastTwice:
      lock.withLock {
        receipts[index] = receipt
        running -= 1
      }
      return lock.withLock { receipts.allSatisfy { $0 != nil } }
    default:
      return lock.withLock {
        receipts[index] = receipt
        arrived.append(receipt)
        running -= slip == .givesItsPlaceBackTwice && index % 2 == 1 ? 2 : 1
        missing -= 1
        return missing == 0
      }
    }
  }

  func createPost() {
    let receipts = lock.withLock {
      isPosting = true
      return slip == .appendsReceipts ? arrived : self.receipts.compactMap { $0 }
    }
    let id = newID()
    ask(as: id) {
      service.createPost(post, receipts: receipts, completion: $0)
    } then: { result in
      if case .failure(let error) = result {
        if self.slip == .hearsNoRefusalOfThePost { return }
        if self.slip == .retriesThePost, RetryPolicy.isTransient(error) { return self.createPost() }
      }
      self.finish(result)
    }
    if slip == .dropsThePostsHandle { forget(id) }
  }

  // MARK: The end

  func fail(_ error: any Error) {
    switch slip {
    case .forgetsToLeave: for handle in lock.withLock({ Array(handles.values) }) { handle.cancel() }
    case .reportsTheLastError:
      let handles = lock.withLock { Array(self.handles.values) }
      for handle in handles { handle.cancel() }
      if lock.withLock({ open.isEmpty }) { finish(.failure(error)) }
    default: finish(.failure(error))
    }
  }

  func finish(_ result: Result<Publication, any Error>) {
    switch slip {
    case .looksAndEndsInTwoSteps: return finishInTwoSteps(result)
    case .completesForAFailureAndACancel: return finishApart(result)
    default: break
    }
    let handles: [any Cancellable]? = lock.withLock {
      guard self.result == nil else { return nil }
      self.result = result
      busy += 1
      defer { (self.handles, open) = ([:], []) }
      return Array(self.handles.values)
    }
    guard let handles else { return }
    stopped()
    if slip == .completesBeforeItCancels { leave() }
    for handle in handles { handle.cancel() }
    if slip != .completesBeforeItCancels { leave() }
  }

  private func finishInTwoSteps(_ result: Result<Publication, any Error>) {
    guard !hasEnded, let completion = lock.withLock({ completion }) else { return }
    for handle in lock.withLock({ handles.values }) { handle.cancel() }
    lock.withLock { (self.result, self.completion, handles, open) = (result, nil, [:], []) }
    completion(result)
  }

  /// One flag for a cancel, and another for any other end.
  private func finishApart(_ result: Result<Publication, any Error>) {
    let isCancel = if case .failure(let error) = result { error is CancellationError } else { false }
    let isFirst = lock.withLock {
      defer { if isCancel { isCancelled = true } else { self.result = result } }
      return isCancel ? !isCancelled : self.result == nil
    }
    guard isFirst, let completion = lock.withLock({ completion }) else { return }
    let handles = lock.withLock {
      open = []
      return self.handles.values
    }
    for handle in handles { handle.cancel() }
    completion(result)
    lock.withLock { (self.result, self.completion, self.handles) = (result, nil, [:]) }
  }

  /// For what else must know that the job has ended.
  func stopped() {}

  /// The last thread to leave a call of the service reports how the job has ended.
  private func leave() {
    if slip == .locksWhileItCompletes { lock.lock() }
    defer { if slip == .locksWhileItCompletes { lock.unlock() } }
    let end = lock.withLock { () -> (Completion, Result<Publication, any Error>)? in
      busy -= 1
      guard busy == 0, let result, let completion else { return nil }
      if slip != .keepsItsCompletion { self.completion = nil }
      return (completion, result)
    }
    end?.0(end!.1)
  }
}
