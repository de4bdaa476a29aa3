import Dispatch
import Synchronization
import UploadScenario

/// One post on its way: a group that is empty when nothing is under way, and a lock for what threads share.
///
/// Whoever starts something is itself in the group, so a job that fails ends when nobody starts anything any more.
final class GroupJob<Progress: Sendable>: Cancellable, Sendable {
  /// A request, a timer or one of each. It is in the group until it is closed: the first of them that ends was dealt with,
  /// or it was called off.
  private enum Request { case open, underWay(any Cancellable, (any Cancellable)?), closed }

  private struct State {
    /// Nil once the job has ended, as there are no requests then.
    var progress: Progress?
    var requests: [Request] = []
    var deadline: (any Cancellable)?
    var failure: (any Error)?
    var completion: Completion?
  }

  let post: Post
  let service: any UploadService
  let group = DispatchGroup()
  private let queue: DispatchQueue?
  private let state: Mutex<State>
  /// Whether the job has failed; for whoever only asks.
  private let isFailed = Atomic<Bool>(false)
  /// How many steps are to be taken.
  private let steps = Atomic<Int>(0)

  init(
    _ post: Post, service: some UploadService, on queue: DispatchQueue?, progress: Progress,
    completion: @escaping Completion
  ) {
    self.post = post
    self.service = service
    self.queue = queue
    state = Mutex(State(progress: progress, completion: completion))
    state.withLock { $0.requests.reserveCapacity(post.media.count + 1) }
  }

  func cancel() { fail(CancellationError()) }
}

extension GroupJob {
  /// Where what follows the group or a timer runs, which cannot do without a queue.
  private var someQueue: DispatchQueue { queue ?? .global() }

  var hasFailed: Bool { isFailed.load(ordering: .acquiring) }

  /// Reads or changes what the pattern keeps; nil if the job has ended.
  @discardableResult
  func change<Value: Sendable>(_ body: (inout Progress) -> Value) -> Value? {
    state.withLock { $0.progress == nil ? nil : body(&$0.progress!) }
  }

  /// Starts the job, and calls `finish`, if there is one, when the group is empty.
  func run(_ start: () -> Void, then finish: (@Sendable () -> Void)? = nil) -> Self {
    group.enter()
    start()
    if let finish { group.notify(queue: someQueue, execute: finish) }
    group.leave()
    return self
  }

  /// Takes a step, unless somebody is at one, who then takes this one, too: a service that answers at once does not
  /// deepen the stack.
  func advance(_ step: () -> Void) {
    guard steps.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { step() } while steps.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }

  /// Asks for the post.
  func create(_ start: (@escaping Completion) -> any Cancellable) {
    group.enter()
    request(start) { self.finish(.success($0)) }
    group.leave()
  }

  func fail(_ error: any Error) {
    let count = state.withLock { state -> Int? in
      guard state.failure == nil, state.completion != nil else { return nil }
      state.failure = error
      isFailed.store(true, ordering: .releasing)
      return state.requests.count
    }
    guard let count else { return }
    for number in 0..<count { callOff(number) }
    group.notify(queue: someQueue) { self.finish(.failure(error)) }
  }

  /// Fails after a while, whatever the job is at.
  func setDeadline(_ delay: Duration) {
    guard delay > .zero else { return fail(DeadlineExceeded()) }
    let timer = QueueTimer(on: someQueue, after: delay) { self.fail(DeadlineExceeded()) }
    state.withLock { $0.deadline = timer }
  }

  private func finish(_ result: Result<Publication, any Error>) {
    var leftovers: (progress: Progress?, requests: [Request]) = (nil, [])
    let (completion, deadline) = state.withLock { state in
      leftovers.progress = state.progress.take()
      swap(&leftovers.requests, &state.requests)
      return (state.completion.take(), state.deadline.take())
    }
    deadline?.cancel()
    completion?(result)
  }
}

extension GroupJob {
  /// Makes a request, one that was opened or a new one. What follows comes once, unless it is called off before.
  ///
  /// - Parameter recover: what to do after a failure, if that is not to end the job.
  func request<Value: Sendable>(
    as number: Int? = nil, _ start: (@escaping Callback<Value>) -> any Cancellable,
    then next: @escaping @Sendable (Value) -> Void, orElse recover: (@Sendable (any Error) -> Void)? = nil
  ) {
    guard let number = number ?? open() else { return }
    let handle = start { result in
      self.answered(number) {
        switch result {
        case .success(let value): next(value)
        case .failure(let error): if let recover { recover(error) } else { self.fail(error) }
        }
        self.group.leave()
      }
    }
    keep(handle, number)
  }

  /// Goes on after the first answer to a request, unless that was called off before; `next` leaves the group.
  func answered(_ number: Int, _ next: @escaping @Sendable () -> Void) {
    // Decided here: on a concurrent queue a second answer may overtake the first.
    guard isFirst(number) else { return }
    if let queue { queue.async(execute: next) } else { next() }
  }

  /// Calls back after a while, unless it is called off before.
  func after(_ delay: Duration, as number: Int, _ next: @escaping @Sendable () -> Void) {
    let timer = QueueTimer(on: someQueue, after: delay) {
      guard self.isFirst(number) else { return }
      next()
      self.group.leave()
    }
    keep(timer, number)
  }

  /// The number of a request or a timer to come, which enters the group; nil: the job has failed.
  func open() -> Int? {
    state.withLock { state in
      guard state.failure == nil else { return nil }
      group.enter()
      state.requests.append(.open)
      return state.requests.count - 1
    }
  }

  func isOpen(_ number: Int) -> Bool {
    state.withLock { state in
      guard number < state.requests.count else { return false }
      return if case .closed = state.requests[number] { false } else { true }
    }
  }

  /// Closes a request: whether this is what ended it.
  func isFirst(_ number: Int) -> Bool {
    switch close(number) {
    case .closed: return false
    case .open, .underWay(_, nil): break
    case .underWay(let one, let other?): for handle in [one, other] { handle.cancel() }
    }
    return true
  }

  /// Cancels a request or a timer; its answer is ignored.
  func callOff(_ number: Int) {
    switch close(number) {
    case .closed: return
    case .open: break
    case .underWay(let one, let other):
      one.cancel()
      other?.cancel()
    }
    group.leave()
  }

  /// Keeps what cancels a request, and cancels it if it is closed by now.
  func keep(_ handle: any Cancellable, _ number: Int) {
    let isOpen = state.withLock { state in
      guard number < state.requests.count else { return false }
      switch state.requests[number] {
      case .open: state.requests[number] = .underWay(handle, nil)
      case .underWay(let first, _): state.requests[number] = .underWay(first, handle)
      case .closed: return false
      }
      return true
    }
    if !isOpen { handle.cancel() }
  }

  /// What it was; whoever closes it takes it out of the group.
  private func close(_ number: Int) -> Request {
    state.withLock { state in
      var request = Request.closed
      guard number < state.requests.count else { return request }
      swap(&request, &state.requests[number])
      return request
    }
  }
}
