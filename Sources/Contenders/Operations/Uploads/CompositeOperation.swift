import Foundation
import Synchronization
import UploadScenario

/// An operation that is made of several requests and waits.
///
/// Each belongs to a group, in which the first to answer wins: the others are cancelled and not waited for.
class CompositeOperation<Service: UploadService>: AsynchronousOperation, @unchecked Sendable {
  private struct State {
    var groups: [Int: [any Cancellable]] = [:]
    var lastGroup = 0
    var isRunning = false
    var isEnded = false
    var cancelsRequests = false
    /// How many are starting a request or cancelling: the operation finishes after the last one.
    var busy = 0
  }

  let job: OperationJob<Service>
  private let state = Mutex(State())

  init(of job: OperationJob<Service>) { self.job = job }

  /// What to begin with, on a thread of the queue.
  func begin() { fatalError("an operation says what it is made of") }

  /// What follows when the operation has finished.
  func didFinish() {}

  /// Whether it begins even though the job has failed.
  var beginsAfterFailure: Bool { false }

  override final func main() {
    state.withLock { state in
      state.isRunning = true
      state.busy += 1
    }
    if beginsAfterFailure || !isCancelled && job.failure == nil { begin() } else { end() }
    leave()
  }

  override final func cancel() {
    super.cancel()
    if state.withLock({ $0.isRunning }) { end() }
  }

  final func openGroup() -> Int {
    state.withLock { state in
      state.lastGroup += 1
      if !state.isEnded { state.groups[state.lastGroup] = [] }
      return state.lastGroup
    }
  }

  /// Makes a request, unless its group has been won or the operation has ended.
  final func request<Value>(
    in group: Int,
    _ start: (@escaping Callback<Value>) -> any Cancellable,
    then next: @escaping Callback<Value>
  ) {
    add(to: group) {
      start { result in
        if self.win(group) { next(result) }
      }
    }
  }

  final func after(_ delay: Duration, in group: Int, then next: @escaping @Sendable () -> Void) {
    add(to: group) {
      Alarm(after: delay) {
        if self.win(group) { next() }
      }
    }
  }

  /// Cancels what is under way, whose answers are still waited for.
  final func cancelRequests() {
    let handles = state.withLock { state in
      state.cancelsRequests = true
      return state.groups.values.flatMap { $0 }
    }
    for handle in handles { handle.cancel() }
  }

  /// Ends the operation, once `decide` agrees: what is under way is cancelled and not waited for.
  final func end(if decide: () -> Bool = { true }) {
    let handles = state.withLock { state -> [any Cancellable]? in
      guard !state.isEnded, decide() else { return nil }
      state.isEnded = true
      state.busy += 1
      defer { state.groups = [:] }
      return state.groups.values.flatMap { $0 }
    }
    guard let handles else { return }
    for handle in handles { handle.cancel() }
    leave()
  }

  private func add(to group: Int, _ start: () -> any Cancellable) {
    let isWanted = state.withLock { state in
      guard state.groups[group] != nil else { return false }
      state.busy += 1
      return true
    }
    guard isWanted else { return }
    let handle = start()
    let isStillWanted = state.withLock { state in
      state.groups[group]?.append(handle) != nil && !state.cancelsRequests
    }
    if !isStillWanted { handle.cancel() }
    leave()
  }

  /// Whether this is the first of its group.
  private func win(_ group: Int) -> Bool {
    guard let handles = state.withLock({ $0.groups.removeValue(forKey: group) }) else { return false }
    for handle in handles { handle.cancel() }
    return true
  }

  private func leave() {
    let isLast = state.withLock { state in
      state.busy -= 1
      return state.busy == 0 && state.isEnded
    }
    guard isLast else { return }
    finish()
    didFinish()
  }
}

/// All that it takes to upload one media file.
class UploadOperation<Service: UploadService>: CompositeOperation<Service>, @unchecked Sendable {
  let media: Media
  private let kept = Mutex<Receipt?>(nil)

  init(of job: OperationJob<Service>, _ media: Media) {
    self.media = media
    super.init(of: job)
  }

  /// The receipt, if the operation has succeeded.
  final var receipt: Receipt? { kept.withLock { $0 } }

  /// Ends the operation, and the job with it after a failure.
  final func end(with result: Result<Receipt, any Error>) {
    switch result {
    case .success(let receipt):
      end {
        kept.withLock { $0 = receipt }
        return true
      }
    case .failure(let error):
      job.fail(error)
      end()
    }
  }
}

extension OperationJob {
  /// Runs the operations, and after them creates the post from their receipts.
  func runUploads(_ uploads: [UploadOperation<Service>], for post: Post) {
    let creation = PostOperation(of: self) { service, completion in
      service.createPost(post, receipts: uploads.compactMap(\.receipt), completion: completion)
    }
    run(uploads, then: creation)
  }
}
