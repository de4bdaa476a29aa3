import Foundation
import RawThreads
import UploadScenario

extension Backend {
  func accept(_ kind: HeldCall.Kind, isBlocking: Bool = false) -> HeldCall {
    let call = HeldCall(kind, isBlocking: isBlocking, on: self)
    if let index = call.ledgerIndex { ledger.uploadStarted(index) } else { ledger.postRequested() }
    let (number, threads, isAnsweredHere, early) = state.withLock { state in
      let now = clock()
      state.asks += 1
      switch kind {
      case .request(let request, _):
        state.breaches += state.model.requested(request.ledgerIndex, of: request.media, at: now)
        if case .uploadTo(let url, let prepared) = request, url.token != token(for: prepared) {
          state.breaches.append(
            Breach(
              .itsOwnURL, seen: "media file \(prepared.media.index) uploaded to another URL",
              promised: "the URL issued for this media file"))
        }
      case .post(let post, let receipts, _):
        state.breaches += state.model.postRequested(post, receipts)
      }
      // A blocking call on the thread that called `start` is answered at once, because the same thread gives the answers.
      let blocksCaller =
        isBlocking && state.noteCaller(.blocksOffTheCaller, "media file \(call.ledgerIndex!) uploaded")
      call.number = state.asks
      if let index = call.ledgerIndex { call.attempt = state.model.asks(at: index) }
      state.add(call)
      let isAnsweredHere = blocksCaller || isBlocking && (state.answersBlocking || state.isOver)
      let isHeld = !isAnsweredHere && state.threads == nil && state.breaches.isEmpty
      let early = isHeld ? hooks.meanwhile(call, state.calls) : nil
      if early != nil { state.meanwhile += 1 }
      return (state.asks, state.threads, isAnsweredHere, early)
    }
    hooks.inside(self, number)
    if isAnsweredHere {
      answer(call, hooks.answer(call))
    } else if let threads {
      threads.submit {
        self.answer(call, self.read(\.isOver) ? .failure(CancellationError()) : self.hooks.answer(call))
      }
    } else if let (call, result) = early {
      let isTaken = hooks.side(150) {
        self.answer(call, result)
        self.change { $0.meanwhile -= 1 }
      }
      if !isTaken {
        let breach = Breach(
          .reentrancy,
          seen: "a callback on another thread waits until the call that makes a request returns",
          promised: "no wait: the contender must not hold a lock while it calls the service",
          mayBeTheMachine: true)
        change { $0.breaches.append(breach) }
      }
    } else {
      parker?.unpark()
    }
    return call
  }

  func opened() {
    state.withLock { state in
      if state.isOpened {
        state.breaches.append(Breach(.everyUpload, seen: "chunks(of:) called twice", promised: "one call"))
      }
      state.isOpened = true
    }
  }

  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    state.withLock { state in
      state.noteCaller(.preparesOffTheCaller, "media file \(media.index) prepared")
      state.prepared += 1
      state.breaches += state.model.prepared(media.index)
    }
    last(of: media.index)
    if hooks.unreadable == media.index {
      ledger.chainEnded()
      throw unreadable(media.index, "media file \(media.index)")
    }
    return try PreparedMedia(media, passes: scenario.preparePasses)
  }

  fileprivate func unreadable(_ unit: Int, _ what: String) -> Unreadable {
    let error = Unreadable(what: what)
    change { $0.model.unreadable(unit, error, wasHeld: hooks.heldWork == unit) }
    return error
  }

  func cancel(_ call: HeldCall) {
    let isFirst = state.withLock { state in
      guard call.kind != nil, !call.isCancelled else { return false }
      call.isCancelled = true
      state.cancelled.append(call)
      state.breaches += state.model.cancelled(call.ledgerIndex, attempt: call.attempt, at: clock())
      return !state.isCancelHeld
    }
    // A Swift task holds its lock while its cancellation handler runs, so this answer may time out.
    if isFirst, let late = hooks.cancelled, !hooks.side(1, { self.answer(call, late) }) {
      change { $0.isCancelHeld = true }
    }
    parker?.unpark()
  }

  func complete(_ result: Result<Publication, any Error>) {
    ledger.close()
    state.withLock { state in
      state.breaches += state.model.completed(result, at: clock())
      if state.result == nil { state.result = result }
    }
    hooks.inside(self, .max)
    parker?.unpark()
  }

  fileprivate func last(of unit: Int) {
    if hooks.heldWork == unit {
      let work = Parker()
      let isWanted = state.withLock { state in
        if state.isOver { return false }
        state.heldWork.append(work)
        return true
      }
      if isWanted {
        parker?.unpark()
        work.park()
      }
    }
    let milliseconds = hooks.workMilliseconds(unit)
    guard milliseconds > 0 else { return }
    Parker().park(untilNanoseconds: MonotonicClock.nanoseconds() + UInt64(milliseconds) * 1_000_000)
  }
}

/// Counts the live chunks of a media file. The reader of the file and its chunks retain this object.
final class HeldReader: ChunkLedger {
  private let backend: Backend

  init(_ backend: Backend) {
    self.backend = backend
    backend.giveOut()
  }

  deinit { backend.takeBack() }

  func chunkWillBeRead() throws {
    let chunk = backend.state.withLock { state in
      state.noteCaller(.readsOffTheCaller, "chunk \(state.chunksRead) read")
      if state.hasReadFailed {
        state.breaches.append(
          Breach(.failedRead, seen: "another read after a read failed", promised: "the end of the job"))
      }
      if backend.hooks.unreadable == state.chunksRead { state.hasReadFailed = true }
      if let breach = state.model.read() { state.breaches.append(breach) }
      return state.chunksRead
    }
    backend.last(of: chunk)
    if backend.hooks.unreadable == chunk { throw backend.unreadable(chunk, "chunk \(chunk)") }
  }

  func chunkRead() {
    backend.ledger.chunkRead()
    backend.change { $0.chunksRead += 1 }
  }

  func chunkReleased() {
    backend.ledger.chunkReleased()
    backend.parker?.unpark()
  }
}

extension Backend.State {
  /// Records a breach if the current thread is still inside the contender's `start`, and returns whether it is.
  @discardableResult
  fileprivate mutating func noteCaller(_ rule: Promise, _ what: String) -> Bool {
    guard let callerThread, pthread_equal(callerThread, pthread_self()) != 0 else { return false }
    breaches.append(
      Breach(rule, seen: "\(what) on the thread that started the job", promised: "another thread"))
    return true
  }
}

extension Request {
  fileprivate var media: Media? {
    switch self {
    case .upload(let media), .uploadToMirror(let media, _): media
    case .issueURL(let prepared), .uploadTo(_, let prepared): prepared.media
    case .uploadChunk, .lookUp: nil
    }
  }
}
