import UploadScenario

extension CallbackJob {
  /// What a job that stops lets go of, outside of the lock.
  struct Leftovers: Sendable {
    fileprivate var progress: Progress?
    fileprivate var requests: [any Cancellable] = []
  }

  func createPost(receipts: [Receipt]) {
    createPost { service.createPost(post, receipts: receipts, completion: $0) }
  }

  /// Asks for the post, unless the job has stopped.
  func createPost(_ start: (@escaping Completion) -> any Cancellable) {
    let (isWanted, alarm) = state.withLock { state -> (Bool, Alarm?) in
      guard case .working = state.phase else { return (false, nil) }
      state.phase = .posting
      state.busy += 1
      return (true, state.alarm.take())
    }
    guard isWanted else { return }
    alarm?.cancel()
    let handle = start { result in self.end(with: result) }
    let isStillWanted = state.withLock { state in
      guard case .posting = state.phase else { return false }
      state.creation = handle
      return true
    }
    if !isStillWanted { handle.cancel() }
    leave()
  }

  /// Ends the job with an error, the first one only. A post that was asked for may exist by now: it is cancelled, and
  /// its answer is the result.
  func fail(_ error: any Error) {
    letGo { state in
      switch state.phase {
      case .working: return state.stop(with: .failure(error))
      case .posting:
        state.phase = .cancellingPost
        state.busy += 1
        return Leftovers(requests: state.creation.map { [$0] } ?? [])
      case .cancellingPost, .stopping, .ended: return nil
      }
    }
  }

  /// Ends the job whatever it is at: it has taken too long.
  func expire() {
    letGo { state in
      switch state.phase {
      case .working, .posting: state.stop(with: .failure(DeadlineExceeded()))
      case .cancellingPost: state.stop(with: .failure(CancellationError()))
      case .stopping, .ended: nil
      }
    }
  }

  /// One less is busy; the last one reports how the job ended.
  func leave() {
    let (completion, result) = state.withLock { state -> (Completion?, Result<Publication, any Error>?) in
      state.busy -= 1
      guard state.busy == 0, case .stopping(let result) = state.phase else { return (nil, nil) }
      state.phase = .ended
      return (state.completion.take(), result)
    }
    if let result { completion?(result) }
  }

  /// Lets go of what `stop` leaves, as one more who is busy.
  private func letGo(_ stop: (inout State) -> Leftovers?) {
    guard var leftovers = state.withLock({ stop(&$0) }) else { return }
    leftovers.progress = nil
    for request in leftovers.requests { request.cancel() }
    leave()
  }

  private func end(with result: Result<Publication, any Error>) {
    letGo { state in
      switch state.phase {
      case .posting, .cancellingPost: state.stop(with: result)
      case .working, .stopping, .ended: nil
      }
    }
  }
}

extension CallbackJob.State {
  /// Counts whoever lets go of what is left as one more who is busy.
  fileprivate mutating func stop(with result: Result<Publication, any Error>) -> CallbackJob.Leftovers {
    phase = .stopping(result)
    busy += 1
    let requests = places.compactMap(\.handle) + [creation, alarm, deadline].compactMap { $0 }
    (places, creation, alarm, deadline) = ([], nil, nil, nil)
    return CallbackJob.Leftovers(progress: progress.take(), requests: requests)
  }
}
