import UploadScenario

extension Job {
  /// What a job that stops lets go of, outside of the lock.
  struct Leftovers: Sendable {
    fileprivate var progress: Progress?
    fileprivate var requests: [any Cancellable] = []
  }

  func createPost(receipts: [Receipt]) {
    createPost { service.createPost(post, receipts: receipts, completion: $0) }
  }

  /// Asks for the post, unless the job has stopped.
  func createPost(
    _ start: (@escaping @Sendable (Result<Publication, any Error>) -> Void) -> any Cancellable
  ) {
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
    let leftovers = state.withLock { state -> Leftovers? in
      switch state.phase {
      case .working: return state.stop(with: error)
      case .posting:
        state.phase = .cancellingPost
        state.busy += 1
        return Leftovers(requests: state.creation.map { [$0] } ?? [])
      case .cancellingPost, .stopping, .ended: return nil
      }
    }
    letGo(of: leftovers)
  }

  /// Ends the job whatever it is at: it has taken too long.
  func expire() {
    let leftovers = state.withLock { state -> Leftovers? in
      switch state.phase {
      case .working, .posting: state.stop(with: DeadlineExceeded())
      case .cancellingPost: state.stop(with: CancellationError())
      case .stopping, .ended: nil
      }
    }
    letGo(of: leftovers)
  }

  /// One less is busy; the last one reports the failure.
  func leave() {
    let (completion, error) = state.withLock { state -> (Completion?, (any Error)?) in
      state.busy -= 1
      guard state.busy == 0, case .stopping(let error) = state.phase else { return (nil, nil) }
      state.phase = .ended
      return (state.completion.take(), error)
    }
    if let error { completion?(.failure(error)) }
  }

  /// Takes as long as one who is busy, which `fail` and `expire` have counted.
  private func letGo(of leftovers: Leftovers?) {
    guard let leftovers else { return }
    for request in leftovers.requests { request.cancel() }
    leave()
  }

  private func end(with result: Result<Publication, any Error>) {
    let (completion, leftovers) = state.withLock { state -> (Completion?, Leftovers) in
      switch state.phase {
      case .posting, .cancellingPost: break
      case .working, .stopping, .ended: return (nil, Leftovers())
      }
      state.phase = .ended
      state.creation = nil
      return (state.completion.take(), state.leftovers())
    }
    for request in leftovers.requests { request.cancel() }
    completion?(result)
  }
}

extension Job.State {
  fileprivate mutating func stop(with error: any Error) -> Job.Leftovers {
    phase = .stopping(error)
    busy += 1
    return leftovers()
  }

  fileprivate mutating func leftovers() -> Job.Leftovers {
    let requests = places.compactMap(\.handle) + [creation, alarm, deadline].compactMap { $0 }
    (places, creation, alarm, deadline) = ([], nil, nil, nil)
    return Job.Leftovers(progress: progress.take(), requests: requests)
  }
}
