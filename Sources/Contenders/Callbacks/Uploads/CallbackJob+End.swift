import UploadScenario

extension CallbackJob {
  /// How a job ended, and who is to be told.
  typealias End = (completion: Completion?, result: Result<Publication, any Error>)

  /// What a job that stops lets go of, outside of the lock.
  struct Leftovers: Sendable {
    fileprivate var progress: Progress?
    fileprivate var requests: [any Cancellable] = []
  }

  /// Asks for the post, as one who is busy.
  func create(from progress: Progress) {
    let handle = progress.createPost(post, on: service) { result in self.end(with: result) }
    let (isStillWanted, end) = state.withLock { state -> (Bool, End?) in
      let isPosting = if case .posting = state.phase { true } else { false }
      if isPosting { state.creation = handle }
      return (isPosting, isPosting ? state.leave() : nil)
    }
    if isStillWanted { return report(end) }
    handle.cancel()
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
  func leave() { report(state.withLock { $0.leave() }) }

  private func report(_ end: End?) {
    if let end { end.completion?(end.result) }
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
  fileprivate mutating func leave() -> CallbackJob.End? {
    busy -= 1
    guard busy == 0, case .stopping(let result) = phase else { return nil }
    phase = .ended
    return (completion.take(), result)
  }

  /// Counts whoever lets go of what is left as one more who is busy.
  fileprivate mutating func stop(with result: Result<Publication, any Error>) -> CallbackJob.Leftovers {
    phase = .stopping(result)
    busy += 1
    let requests = places.compactMap(\.handle) + [creation, alarm, deadline].compactMap { $0 }
    (places, creation, alarm, deadline) = ([], nil, nil, nil)
    return CallbackJob.Leftovers(progress: progress.take(), requests: requests)
  }
}
