import Dispatch
import Synchronization
import UploadScenario

/// One post on its way: its end, the requests under way, each in a place of its own, and what its pattern keeps.
///
/// A request costs three short locked sections, and no call goes out while the lock is held. The
/// completion waits for whoever is busy: then nothing is started after it, or started and not cancelled.
final class Job<Service: UploadService, Progress: Sendable>: Cancellable, Sendable {
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
  init(
    _ post: Post, service: Service, places: Int, progress: Progress, completion: @escaping Completion
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

  /// Sets the job's alarm, which is given back when there is nothing left to wait for but the post.
  func setAlarm(_ alarm: Alarm, at time: DispatchTime?) {
    set(alarm, as: \.alarm, at: time)
  }

  /// Lets the job expire, the post included.
  func setDeadline(at time: DispatchTime) {
    set(Alarm { self.expire() }, as: \.deadline, at: time)
  }

  private func set(_ alarm: Alarm, as kind: WritableKeyPath<State, Alarm?> & Sendable, at time: DispatchTime?)
  {
    let isWanted = state.withLock { state in
      guard case .working = state.phase else { return false }
      state[keyPath: kind] = alarm
      return true
    }
    guard isWanted else { return alarm.cancel() }
    if let time { alarm.set(at: time) }
  }
}
