import Dispatch
import Synchronization
import UploadScenario

/// What a pattern keeps until its post can be created.
protocol JobProgress: Sendable {
  /// Asks for the post; everything that it is created from is there.
  func createPost(_ post: Post, on service: some UploadService, completion: @escaping Completion)
    -> any Cancellable
}

/// One post on its way: its end, the requests under way, each in a place of its own, and what its pattern keeps.
///
/// A request costs three short locked sections, and no call goes out while the lock is held. The
/// completion waits for whoever is busy: then nothing is started after it, or started and not cancelled.
final class CallbackJob<Progress: JobProgress>: Cancellable, Sendable {
  /// What follows an answer.
  enum Step {
    /// Nothing, for others are under way.
    case wait
    /// What the request was made with.
    case goOn
    /// The same, and nobody needs the request in this place any more.
    case abandon(Int)
    /// The post: this was the last.
    case createPost
    /// The post, and nobody needs the request in this place any more.
    case abandonAndCreatePost(Int)
    case fail(any Error)
  }

  /// What is left to do for a step, without the lock.
  struct FollowUp: Sendable {
    var goesOn = false
    var abandoned: (any Cancellable)?
    var progress: Progress?
    var alarm: Alarm?
    var error: (any Error)?
  }

  enum Phase {
    case working, posting, cancellingPost
    case stopping(Result<Publication, any Error>)
    case ended
  }

  struct Place {
    /// Counts the requests that were made here: the answer to an earlier one is ignored.
    var turn = 0
    var handle: (any Cancellable)?
  }

  struct State {
    var phase = Phase.working
    var completion: Completion?
    /// Nil when the job has stopped, or the post is being created.
    var progress: Progress?
    var places: [Place]
    var creation: (any Cancellable)?
    var alarm: Alarm?
    var deadline: Alarm?
    var busy = 0
  }

  let post: Post
  let service: any UploadService
  let state: Mutex<State>

  /// - Parameter places: how many requests may be under way; more are made when they are needed.
  init(
    _ post: Post, service: some UploadService, places: Int, progress: Progress,
    completion: @escaping Completion
  ) {
    self.post = post
    self.service = service
    let places = Array(repeating: Place(), count: places)
    state = Mutex(State(completion: completion, progress: progress, places: places))
  }

  func cancel() { fail(CancellationError()) }

  /// Changes what the pattern keeps; nil if the job has stopped.
  @discardableResult
  func change<Value: Sendable>(_ change: (inout Progress) -> Value) -> Value? {
    state.withLock { state in
      guard case .working = state.phase else { return nil }
      return change(&state.progress!)
    }
  }

  /// Does a part of the work, unless the job has stopped. The completion is not called before it returns.
  func work(_ body: () -> Void) {
    let isWanted = state.withLock { state in
      guard case .working = state.phase else { return false }
      state.busy += 1
      return true
    }
    guard isWanted else { return }
    body()
    leave()
  }

  /// Changes what the pattern keeps, and does what follows from that; nothing if the job has stopped.
  func step(_ change: (inout Progress) -> Step) {
    let followUp = state.withLock { state -> FollowUp? in
      guard case .working = state.phase else { return nil }
      return state.take(change(&state.progress!))
    }
    if let followUp { follow(up: followUp) {} }
  }

  /// Sets the job's alarm, which is given back when there is nothing left to wait for but the post, or its deadline.
  func set(_ kind: WritableKeyPath<State, Alarm?> & Sendable, _ alarm: Alarm, at time: DispatchTime?) {
    let isWanted = state.withLock { state in
      guard case .working = state.phase else { return false }
      state[keyPath: kind] = alarm
      return true
    }
    guard isWanted else { return alarm.cancel() }
    if let time { alarm.set(at: time) }
  }
}

/// The receipts of a job's uploads, in the order of the media, until all are there.
struct Receipts: Sendable {
  private var receipts: [Receipt?]
  private(set) var missing: Int

  init(count: Int) {
    receipts = Array(repeating: nil, count: count)
    missing = count
  }

  var count: Int { receipts.count }

  /// Those that are there, in order.
  var all: [Receipt] { receipts.compactMap { $0 } }

  func isMissing(_ index: Int) -> Bool { receipts[index] == nil }

  mutating func expectOneMore() {
    receipts.append(nil)
    missing += 1
  }

  /// Whether this was the last one.
  mutating func add(_ receipt: Receipt, at index: Int) -> Bool {
    receipts[index] = receipt
    missing -= 1
    return missing == 0
  }
}

/// The progress of a pattern whose post is created from the receipts of its uploads.
protocol UploadProgress: JobProgress {
  var receipts: Receipts { get }
}

extension UploadProgress {
  func createPost(_ post: Post, on service: some UploadService, completion: @escaping Completion)
    -> any Cancellable
  {
    service.createPost(post, receipts: receipts.all, completion: completion)
  }
}

extension CallbackJob {
  /// Makes a request, unless the job has stopped or `condition` says no. For whoever is at work.
  ///
  /// One answer counts at most: not a second one, nor any once the job has stopped or the request was abandoned. `answered`
  /// is called with the lock held.
  func request<Value: Sendable>(
    at place: Int, if condition: (inout Progress) -> Bool = { _ in true },
    _ start: (@escaping Callback<Value>) -> any Cancellable,
    answered: @escaping @Sendable (inout Progress, Result<Value, any Error>) -> Step,
    then next: @escaping @Sendable (Result<Value, any Error>) -> Void = { _ in }
  ) {
    guard let turn = turn(at: place, if: condition) else { return }
    let handle = start { result in
      let followUp = self.state.withLock { state -> FollowUp? in
        guard state.takeAnswer(at: place, turn) else { return nil }
        return state.take(answered(&state.progress!, result))
      }
      if let followUp { self.follow(up: followUp) { next(result) } }
    }
    if !keep(handle, at: place, turn) { handle.cancel() }
  }

  /// The same, of which a failure is the job's.
  func request<Value: Sendable>(
    at place: Int, _ start: (@escaping Callback<Value>) -> any Cancellable,
    arrived: @escaping @Sendable (inout Progress, Value) -> Step,
    then next: @escaping @Sendable () -> Void = {}
  ) {
    request(at: place, start) { progress, result in
      switch result {
      case .success(let value): arrived(&progress, value)
      case .failure(let error): .fail(error)
      }
    } then: { _ in
      next()
    }
  }

  private func turn(at place: Int, if condition: (inout Progress) -> Bool) -> Int? {
    state.withLock { state in
      guard case .working = state.phase, condition(&state.progress!) else { return nil }
      while state.places.count <= place { state.places.append(Place()) }
      return state.places[place].turn
    }
  }

  /// Whether it may still be needed.
  private func keep(_ handle: any Cancellable, at place: Int, _ turn: Int) -> Bool {
    state.withLock { state in
      guard case .working = state.phase, state.places[place].turn == turn else { return false }
      state.places[place].handle = handle
      return true
    }
  }

  private func follow(up followUp: FollowUp, _ next: () -> Void) {
    followUp.abandoned?.cancel()
    if followUp.goesOn {
      next()
      leave()
    } else if let progress = followUp.progress {
      followUp.alarm?.cancel()
      create(from: progress)
    } else if let error = followUp.error {
      fail(error)
    }
  }

  /// Cancels the request that is under way in a place, if there is one, and ignores its answer.
  func abandon(_ place: Int) {
    state.withLock { $0.abandon(place) }?.cancel()
  }
}

extension CallbackJob.State {
  /// Whether an answer is the first to its request, and still waited for.
  fileprivate mutating func takeAnswer(at place: Int, _ turn: Int) -> Bool {
    guard case .working = phase, places[place].turn == turn else { return false }
    places[place].turn += 1
    places[place].handle = nil
    return true
  }

  /// Counts whoever has something left to do as busy.
  fileprivate mutating func take(_ step: CallbackJob.Step) -> CallbackJob.FollowUp? {
    switch step {
    case .wait: return nil
    case .fail(let error): return CallbackJob.FollowUp(error: error)
    case .goOn:
      busy += 1
      return CallbackJob.FollowUp(goesOn: true)
    case .abandon(let place):
      busy += 1
      return CallbackJob.FollowUp(goesOn: true, abandoned: abandon(place))
    case .createPost: return createPost()
    case .abandonAndCreatePost(let place):
      let abandoned = abandon(place)
      var followUp = createPost()
      followUp.abandoned = abandoned
      return followUp
    }
  }

  private mutating func createPost() -> CallbackJob.FollowUp {
    busy += 1
    phase = .posting
    return CallbackJob.FollowUp(progress: progress.take(), alarm: alarm.take())
  }

  /// Ignores the answer of the request that is under way in a place, if there is one, and gives out what cancels it.
  fileprivate mutating func abandon(_ place: Int) -> (any Cancellable)? {
    guard place < places.count else { return nil }
    places[place].turn += 1
    return places[place].handle.take()
  }
}
