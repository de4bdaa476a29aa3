import Dispatch
import Synchronization
import UploadScenario

/// One post on its way: a queue that everything happens on, and a group that is empty when the post may be created.
class GroupJob<Service: UploadService>: Cancellable, @unchecked Sendable {
  // Invariant: everything mutable is touched on `queue` only, here and in the subclasses.
  let queue: DispatchQueue
  let group = DispatchGroup()
  let post: Post
  let service: Service
  /// For those who are not on the queue: whether it is too late to begin anything.
  let isStopped = Atomic<Bool>(false)
  private(set) var failure: (any Error)?
  /// Requests and timers by number.
  private var handles: [Int: any Cancellable] = [:]
  private var lastNumber = 0
  private var isPosting = false
  private var completion: Completion?

  init(_ post: Post, service: Service, qos: DispatchQoS = .unspecified, completion: @escaping Completion) {
    queue = DispatchQueue(label: "post", qos: qos)
    self.post = post
    self.service = service
    self.completion = completion
  }

  final func cancel() { queue.async { self.fail(CancellationError()) } }

  /// Does something on the queue, then waits until the group is empty: what was asked for has ended, or the job has failed.
  final func run(_ start: @escaping @Sendable () -> Void) {
    queue.async {
      start()
      self.group.notify(queue: self.queue) { self.createPost() }
    }
  }

  /// Creates the post, or reports the failure that keeps it from being created.
  func createPost() { fatalError("a job says what its post is created from") }

  /// What is to be let go when the job fails.
  func stop() {}

  /// Makes a request. What follows comes on the queue and once, unless it is abandoned before.
  @discardableResult
  final func request<Value: Sendable>(
    _ start: (@escaping Callback<Value>) -> any Cancellable,
    then next: @escaping Callback<Value>
  ) -> Int {
    let number = nextNumber()
    let handle = start { result in
      self.queue.async { if self.answer(number) { next(result) } }
    }
    hold(handle, number)
    return number
  }

  final func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Keeps what cancels a request that was made on the queue.
  final func hold(_ handle: any Cancellable, _ number: Int) { handles[number] = handle }

  /// Whether this is the first answer to a request, and it is still waited for.
  final func answer(_ number: Int) -> Bool { handles.removeValue(forKey: number) != nil }

  /// Calls back on the queue after a delay, unless it is abandoned before.
  @discardableResult
  final func after(_ delay: Duration, _ next: @escaping @Sendable () -> Void) -> Int {
    let number = nextNumber()
    let timer = QueueTimer(on: queue, after: delay) {
      self.abandon(number)
      next()
    }
    hold(timer, number)
    return number
  }

  /// Cancels a request or a timer; its answer is ignored.
  final func abandon(_ number: Int) { handles.removeValue(forKey: number)?.cancel() }

  /// Asks for the post, or reports the failure.
  final func create(_ start: (@escaping Completion) -> any Cancellable) {
    if let failure { return finish(.failure(failure)) }
    isPosting = true
    request(start) { self.finish($0) }
  }

  final func fail(_ error: any Error) {
    guard failure == nil, completion != nil else { return }
    failure = error
    isStopped.store(true, ordering: .relaxed)
    for handle in handles.values { handle.cancel() }
    stop()
  }

  /// Fails, and does not wait for the answer of a post that is under way.
  final func expire() {
    fail(DeadlineExceeded())
    if isPosting, let failure { finish(.failure(failure)) }
  }

  private func finish(_ result: Result<Publication, any Error>) {
    for handle in handles.values { handle.cancel() }
    handles = [:]
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}
