import Dispatch
import UploadScenario

extension CallbackUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let tries = Tries(count: post.media.count, policy: policy)
    let job = CallbackJob(
      post, service: service, places: post.media.count, progress: tries, completion: completion)
    job.work {
      if let deadline = policy.deadline {
        if deadline <= .zero { return job.expire() }
        job.set(\.deadline, Alarm { job.expire() }, at: .now() + DispatchTimeInterval(deadline))
      }
      if post.media.isEmpty { return job.step { _ in .createPost } }
      for index in post.media.indices { job.attempt(1, at: index, policy) }
    }
    return job
  }
}

/// What each media file is at: its steps are attempts and waits in turn, so step 2n - 1 is attempt n, and 2n the wait after it.
///
/// Whoever finds a media file at the step that he knows of decides what is next; for the others it is too late. One alarm
/// serves all deadlines and waits.
private struct Tries: UploadProgress {
  let policy: RetryPolicy
  var alarm: Alarm?
  private var agenda = Agenda()
  private var steps: [Int]
  private(set) var receipts: Receipts

  init(count: Int, policy: RetryPolicy) {
    self.policy = policy
    steps = Array(repeating: 0, count: count)
    receipts = Receipts(count: count)
  }

  func isAt(_ step: Int, index: Int) -> Bool { steps[index] == step }

  /// Takes the media to its next step, which it may not stay at for longer than a while.
  mutating func goOn(from step: Int, at index: Int, for patience: Duration?) -> Bool {
    guard steps[index] == step else { return false }
    steps[index] = step + 1
    guard let patience else { return true }
    let time = DispatchTime.now() + DispatchTimeInterval(patience)
    if agenda.next.map({ time < $0 }) ?? true { alarm?.set(at: time) }
    agenda.add(Agenda.Row(time: time, index: index, number: step + 1))
    return true
  }

  /// Ends the media, if it is at that step; whether it was the last one.
  mutating func finish(_ index: Int, from step: Int, _ receipt: Receipt) -> Bool {
    guard steps[index] == step else { return false }
    steps[index] = .max
    return receipts.add(receipt, at: index)
  }

  /// The step of a media file that has lasted as long as it may.
  mutating func nextDue() -> Agenda.Row? {
    while let row = agenda.removeNext(dueBy: .now()) {
      if isAt(row.number, index: row.index) { return row }
    }
    if let next = agenda.next { alarm?.set(at: next) }
    return nil
  }
}

extension CallbackJob where Progress == Tries {
  fileprivate func attempt(_ number: Int, at index: Int, _ policy: RetryPolicy) {
    let step = 2 * number - 2
    if let deadline = policy.attemptDeadline, deadline <= .zero {
      change { _ = $0.goOn(from: step, at: index, for: nil) }
      return endAttempt(number, at: index, AttemptTimedOut(mediaIndex: index))
    }
    if policy.attemptDeadline != nil { prepareAlarm() }
    request(
      at: index, if: { $0.goOn(from: step, at: index, for: policy.attemptDeadline) },
      { service.upload(post.media[index], completion: $0) }
    ) { tries, result in
      guard case .success(let receipt) = result else { return .goOn }
      return tries.finish(index, from: step + 1, receipt) ? .createPost : .wait
    } then: { result in
      if case .failure(let error) = result { self.endAttempt(number, at: index, error) }
    }
  }

  private func endAttempt(_ number: Int, at index: Int, _ error: any Error) {
    let media = post.media[index]
    if RetryPolicy.isTransient(error) { prepareAlarm() }
    let isLast = change { tries in
      guard tries.isAt(2 * number - 1, index: index) else { return false }
      guard RetryPolicy.isTransient(error), number < tries.policy.attempts else { return true }
      let wait = tries.policy.backoff(afterAttempt: number, of: media)
      _ = tries.goOn(from: 2 * number - 1, at: index, for: wait)
      return false
    }
    if isLast == true { fail(error) }
  }

  /// Makes the alarm when it is first needed: where nothing fails or has a deadline, it never is.
  private func prepareAlarm() {
    guard change({ $0.alarm == nil }) == true else { return }
    let alarm = Alarm { self.work { self.ring() } }
    let isFirst = change { tries in
      guard tries.alarm == nil else { return false }
      tries.alarm = alarm
      return true
    }
    if isFirst == true { set(\.alarm, alarm, at: nil) } else { alarm.cancel() }
  }

  /// Ends what has lasted as long as it may. An alarm rings for one at a time, so the next attempt comes after this.
  private func ring() {
    guard let policy = change({ $0.policy }) else { return }
    while let due = change({ $0.nextDue() }) ?? nil {
      let number = (due.number + 1) / 2
      if due.number.isMultiple(of: 2) {
        attempt(number + 1, at: due.index, policy)
      } else {
        endAttempt(number, at: due.index, AttemptTimedOut(mediaIndex: due.index))
        abandon(due.index)
      }
    }
  }
}

/// What is due when: a binary heap, the earliest first.
///
/// A row that has become meaningless stays until it is due; it holds two numbers and nothing else.
struct Agenda: Sendable {
  struct Row: Sendable {
    let time: DispatchTime
    let index: Int
    let number: Int
  }

  private var rows: [Row] = []

  var next: DispatchTime? { rows.first?.time }

  mutating func add(_ row: Row) {
    var child = rows.count
    rows.append(row)
    while child > 0, rows[child].time < rows[(child - 1) / 2].time {
      rows.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes out the earliest row if it is due.
  mutating func removeNext(dueBy now: DispatchTime) -> Row? {
    guard let first = rows.first, first.time <= now else { return nil }
    let last = rows.removeLast()
    guard !rows.isEmpty else { return first }
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < rows.count else { break }
      if child + 1 < rows.count, rows[child + 1].time < rows[child].time { child += 1 }
      guard rows[child].time < last.time else { break }
      rows[parent] = rows[child]
      parent = child
    }
    rows[parent] = last
    return first
  }
}
