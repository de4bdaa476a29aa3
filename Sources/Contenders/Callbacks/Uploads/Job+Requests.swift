import UploadScenario

extension Job {
  /// Makes a request, unless the job has stopped or `condition` says no.
  ///
  /// `answered` is called once at most: not for a second answer, nor once the job has stopped or `abandon` was called.
  func request<Value>(
    at place: Int, if condition: (inout Progress) -> Bool = { _ in true },
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable,
    answered: @escaping @Sendable (Result<Value, any Error>) -> Void
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
