import Dispatch
import Synchronization
import UploadScenario

/// One post on its way: its end, the requests under way, each in a place of its own, and what its pattern keeps.
///
/// A request costs three short locked sections, and no call goes out while the lock is held. The
/// completion waits for whoever is busy: then nothing is started after it, or started and not cancelled.
final class CallbackJob<Service: UploadService, Progress: Sendable>: Cancellable, Sendable {
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
    /// Nil when the job has stopped.
    var progress: Progress?
    var places: [Place]
    var creation: (any Cancellable)?
    var alarm: Alarm?
    var deadline: Alarm?
    var busy = 0
  }

  let post: Post
  let service: Service
  let state: Mutex<State>

  /// - Parameter places: how many requests may be under way; more are made when they are needed.
  init(_ post: Post, service: Service, places: Int, progress: Progress, completion: @escaping Completion) {
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

  func isMissing(_ index: Int) -> Bool { receipts[index] == nil }

  /// All of them, if this was the last one.
  mutating func add(_ receipt: Receipt, at index: Int) -> [Receipt]? {
    receipts[index] = receipt
    missing -= 1
    return missing == 0 ? receipts.compactMap { $0 } : nil
  }
}

extension CallbackJob {
  /// Makes a request, unless the job has stopped or `condition` says no.
  ///
  /// `answered` is called once at most: not for a second answer, nor once the job has stopped or `abandon` was called.
  func request<Value>(
    at place: Int, if condition: (inout Progress) -> Bool = { _ in true },
    _ start: (@escaping Callback<Value>) -> any Cancellable,
    answered: @escaping Callback<Value>
  ) {
    guard let turn = enter(place, if: condition) else { return }
    let handle = start { result in
      if self.takeAnswer(at: place, turn) { answered(result) }
    }
    if !keep(handle, at: place, turn) { handle.cancel() }
    leave()
  }

  /// Cancels the request that is under way in a place, and ignores its answer.
  func abandon(_ place: Int) {
    let handle = state.withLock { state -> (any Cancellable)? in
      guard place < state.places.count else { return nil }
      state.places[place].turn += 1
      return state.places[place].handle.take()
    }
    handle?.cancel()
  }

  private func enter(_ place: Int, if condition: (inout Progress) -> Bool) -> Int? {
    state.withLock { state in
      guard case .working = state.phase, condition(&state.progress!) else { return nil }
      state.busy += 1
      while state.places.count <= place { state.places.append(Place()) }
      return state.places[place].turn
    }
  }

  private func takeAnswer(at place: Int, _ turn: Int) -> Bool {
    state.withLock { state in
      guard case .working = state.phase, state.places[place].turn == turn else { return false }
      state.places[place].turn += 1
      state.places[place].handle = nil
      return true
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
}
