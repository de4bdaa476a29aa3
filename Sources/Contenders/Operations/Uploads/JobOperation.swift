import Foundation
import Synchronization
import UploadScenario

/// An operation of a job, made of requests and waits, one after another or at once.
///
/// It finishes once it has ended and nobody starts anything in it any more; what is under way then is cancelled.
class JobOperation: AsynchronousOperation, @unchecked Sendable {
  /// A request, a wait or one of each, of which the first to end closes it.
  private enum Request { case open, underWay(any Cancellable, (any Cancellable)?), closed }

  private struct State {
    var isEnded = false
    var requests: [Request] = []
    /// How many threads are working for the operation.
    var busy = 0
  }

  let job: OperationJob
  private let state = Mutex(State())

  init(of job: OperationJob) { self.job = job }

  /// What to begin with, on a thread of the queue.
  func begin() { fatalError("an operation says what it is made of") }

  /// What follows when the operation has finished.
  func didFinish() {}

  override final func main() {
    work { if let failure = job.failure { fail(failure) } else { begin() } }
  }

  override final func cancel() {
    super.cancel()
    if isExecuting { fail(job.failure ?? CancellationError()) }
  }

  /// Ends the operation, and the job with it.
  final func fail(_ error: any Error) { end { job.fail(error) } }

  /// Ends the operation. It ends once.
  ///
  /// - Parameter keep: keeps what it has come to, if it had not ended before.
  final func end(_ keep: () -> Void) {
    let requests = state.withLock { state -> [Request]? in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      state.busy += 1
      defer { state.requests = [] }
      return state.requests
    }
    guard let requests else { return }
    for case .underWay(let one, let other) in requests {
      one.cancel()
      other?.cancel()
    }
    keep()
    leave()
  }

  /// Works for the operation, unless it has ended: it does not finish meanwhile.
  private func work(_ body: () -> Void) {
    let isWanted = state.withLock { state in
      guard !state.isEnded else { return false }
      state.busy += 1
      return true
    }
    guard isWanted else { return }
    body()
    leave()
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

extension JobOperation {
  /// Makes a request. What follows comes once, where the service answers, unless the operation has ended.
  ///
  /// - Parameter recover: what to do after a failure, if that is not to end the operation.
  func request<Answer: Sendable>(
    as number: Int? = nil, _ start: (@escaping Callback<Answer>) -> any Cancellable,
    then next: @escaping @Sendable (Answer) -> Void, orElse recover: (@Sendable (any Error) -> Void)? = nil
  ) {
    let number = number ?? open()
    work {
      let handle = start { result in
        self.answer(number) {
          switch result {
          case .success(let answer): next(answer)
          case .failure(let error): if let recover { recover(error) } else { self.fail(error) }
          }
        }
      }
      keep(handle, number)
    }
  }

  /// Calls back after a while, unless the operation has ended.
  func after(_ delay: Duration, as number: Int, _ next: @escaping @Sendable () -> Void) {
    work { keep(Alarm(after: delay) { self.answer(number, next) }, number) }
  }

  /// The number of a request or a wait to come.
  func open() -> Int {
    state.withLock { state in
      state.requests.append(.open)
      return state.requests.count - 1
    }
  }

  /// Goes on with what has ended a request, unless something else has.
  private func answer(_ number: Int, _ next: () -> Void) {
    work {
      switch close(number) {
      case .closed: return
      case .open, .underWay(_, nil): break
      case .underWay(let one, let other?): for handle in [one, other] { handle.cancel() }
      }
      next()
    }
  }

  /// Keeps what cancels a request, and cancels it if the request is closed by now.
  private func keep(_ handle: any Cancellable, _ number: Int) {
    let isOpen = state.withLock { state in
      guard !state.isEnded else { return false }
      switch state.requests[number] {
      case .open: state.requests[number] = .underWay(handle, nil)
      case .underWay(let first, _): state.requests[number] = .underWay(first, handle)
      case .closed: return false
      }
      return true
    }
    if !isOpen { handle.cancel() }
  }

  /// What it was.
  private func close(_ number: Int) -> Request {
    state.withLock { state in
      guard !state.isEnded else { return .closed }
      defer { state.requests[number] = .closed }
      return state.requests[number]
    }
  }
}

/// An operation that comes to a value.
class ResultOperation<Value: Sendable>: JobOperation, @unchecked Sendable {
  private let kept = Mutex<Value?>(nil)

  /// Nil before it has ended, and after a failure.
  final var value: Value? { kept.withLock { $0 } }

  final func end(with value: Value) { end { kept.withLock { $0 = value } } }
}

/// An operation that comes to the receipt of a media file.
class MediaOperation: ResultOperation<Receipt>, @unchecked Sendable {
  final let media: Media

  init(of job: OperationJob, _ media: Media) {
    self.media = media
    super.init(of: job)
  }
}

/// An operation that is one request, such as an upload.
final class RequestOperation<Value: Sendable>: ResultOperation<Value>, @unchecked Sendable {
  private let start: @Sendable (@escaping Callback<Value>) -> any Cancellable
  private let finished: (@Sendable (Value?) -> Void)?

  init(
    of job: OperationJob, _ start: @escaping @Sendable (@escaping Callback<Value>) -> any Cancellable,
    finished: (@Sendable (Value?) -> Void)? = nil
  ) {
    self.start = start
    self.finished = finished
    super.init(of: job)
  }

  override func begin() { request(start, then: end) }

  override func didFinish() { finished?(value) }
}

extension OperationJob {
  /// Runs an operation for each media file, and after them creates the post from their receipts.
  func run(_ uploads: [ResultOperation<Receipt>], on queue: OperationQueue? = nil, for post: Post) -> Self {
    run(uploads, on: queue) { [service] in
      service.createPost(post, receipts: uploads.compactMap(\.value), completion: $0)
    }
  }
}
