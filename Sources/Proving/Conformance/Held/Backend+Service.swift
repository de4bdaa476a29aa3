import Foundation
import RawThreads
import UploadScenario

/// What the service and the contender report.
extension Backend {
  func accept(_ kind: HeldCall.Kind) -> HeldCall {
    let call = HeldCall(kind, on: self)
    if let index = call.ledgerIndex { ledger.uploadStarted(index) }
    if case .request(let request, _) = kind { checkURL(of: request) }
    let answering = state.withLock { state in
      var answering = state.answering
      if let index = call.ledgerIndex {
        state.starts.append((index, clock()))
        // Blocking the thread that runs the script, it would never be answered.
        let blocksCaller =
          call.isBlocking && state.noteCaller(.blocksOffTheCaller, "uploaded media file \(index)")
        if blocksCaller || call.isBlocking && state.answersBlocking { answering = .inline }
      } else {
        state.postsAskedFor += 1
      }
      if case .byScript = answering { state.calls.append(call) }
      return answering
    }
    switch answering {
    case .byScript: parker?.unpark()
    case .inline: answerInline(call)
    case .onThreads(let threads): threads.submit { self.answer(call, .success(())) }
    case .never: answer(call, .failure(CancellationError()))
    }
    return call
  }

  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    let isUnpreparable = state.withLock { state in
      state.noteCaller(.preparesOffTheCaller, "prepared media file \(media.index)")
      return state.unpreparableMedia == media.index
    }
    if isUnpreparable {
      ledger.chainEnded()
      throw Unreadable(what: "media file \(media.index)")
    }
    return try PreparedMedia(media, passes: scenario.preparePasses)
  }

  func cancel(_ call: HeldCall) {
    state.withLock { state in
      guard call.kind != nil else { return }
      call.isCancelled = true
    }
    parker?.unpark()
  }

  func complete(_ result: Result<Publication, any Error>) {
    ledger.close()
    let atTheFirstEnd = state.withLock { state in
      defer { state.atTheFirstEnd = nil }
      if state.results.isEmpty {
        state.uncancelledAtTheEnd = state.calls.filter { !$0.isCancelled && !$0.isBlocking }
          .map { $0.ledgerIndex ?? -1 }
      }
      state.results.append(result)
      return state.atTheFirstEnd
    }
    atTheFirstEnd?()
    parker?.unpark()
  }

  /// Answers on the caller's stack, as long as it does not grow without bound.
  private func answerInline(_ call: HeldCall) {
    let thread = UInt(bitPattern: pthread_self().hashValue)
    let (depth, refused) = state.withLock { state in
      let depth = state.depths[thread, default: 0] + 1
      state.depths[thread] = depth
      if depth > Self.mostDepth, case .inline = state.answering {
        state.answering = .never
        state.observations.append(
          Oracle.Problem(
            .inlineAnswers, seen: "\(depth) requests made one inside the other",
            promised: "a stack that does not grow with the number of uploads"))
      }
      return (depth, state.refusedIndex)
    }
    if depth > Self.mostDepth {
      answer(call, .failure(CancellationError()))
    } else if let refused, call.ledgerIndex == refused {
      answer(call, .failure(scenario.refusal(ofLedgerIndex: refused)))
    } else {
      answer(call, .success(()))
    }
    state.withLock { state in state.depths[thread] = depth == 1 ? nil : depth - 1 }
  }

  private func checkURL(of request: Request) {
    guard case .uploadTo(let url, let prepared) = request, url.token != token(for: prepared) else { return }
    change {
      $0.observations.append(
        Oracle.Problem(
          .itsOwnURL, seen: "media file \(prepared.media.index) uploaded to another URL",
          promised: "the one issued for it"))
    }
  }
}

extension Backend: ChunkLedger {
  package func chunkWillBeRead() throws {
    let (isUnreadable, chunk) = state.withLock { state in
      state.noteCaller(.readsOffTheCaller, "read chunk \(state.chunksRead)")
      return (state.unreadableChunk == state.chunksRead, state.chunksRead)
    }
    if isUnreadable { throw Unreadable(what: "chunk \(chunk)") }
  }

  package func chunkRead() {
    ledger.chunkRead()
    change { $0.chunksRead += 1 }
  }

  package func chunkReleased() {
    ledger.chunkReleased()
    parker?.unpark()
  }
}

extension Backend.State {
  /// Notes that something was done on the thread that is inside the contender's entry, if it was.
  @discardableResult
  fileprivate mutating func noteCaller(_ rule: Rule, _ what: String) -> Bool {
    guard let callerThread, pthread_equal(callerThread, pthread_self()) != 0 else { return false }
    observations.append(
      Oracle.Problem(rule, seen: "\(what) on the calling thread", promised: "another thread"))
    return true
  }
}
