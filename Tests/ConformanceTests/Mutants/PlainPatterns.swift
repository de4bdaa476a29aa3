import Dispatch
import Foundation
import UploadScenario

final class PlainPublish: PlainJob, @unchecked Sendable {
  override func start(_ index: Int) {
    ask {
      service.upload(post.media[index], completion: $0)
    } then: {
      self.uploaded(index, $0)
    }
  }
}

final class PlainPresigned: PlainJob, @unchecked Sendable {
  private var url: UploadURL?
  private var ready: [Int: PreparedMedia] = [:]

  override func start() -> any Cancellable {
    guard slip == .preparesAllAtOnce else { return super.start() }
    DispatchQueue.global().async {
      for media in self.post.media where !self.hasEnded {
        do { self.ready[media.index] = try self.service.prepare(media) } catch { self.fail(error) }
      }
      _ = super.start()
    }
    return self
  }

  override func start(_ index: Int) {
    DispatchQueue.global().async { self.prepare(index) }
  }

  private func prepare(_ index: Int) {
    if hasEnded { return }
    let prepared: PreparedMedia
    do { prepared = try ready[index] ?? service.prepare(post.media[index]) } catch {
      return slip == .swallowsAFailedPreparation ? () : fail(error)
    }
    let id = newID()
    ask(as: id) {
      service.issueURL(for: prepared, completion: $0)
    } then: { result in
      switch result {
      case .failure(let error): self.fail(error)
      case .success(let url): self.upload(prepared, to: url)
      }
    }
    if slip == .dropsTheURLsHandle { forget(id) }
  }

  private func upload(_ prepared: PreparedMedia, to url: UploadURL) {
    var url = url
    if slip == .sharesTheURL {
      lock.withLock { self.url = self.url ?? url }
      url = lock.withLock { self.url! }
    }
    if slip == .givesItsPlaceBackAtTheURL { givePlaceBack() }
    ask {
      service.upload(prepared, to: url, completion: $0)
    } then: { result in
      if self.slip == .givesItsPlaceBackAtTheURL { self.takePlace() }
      self.uploaded(prepared.media.index, result)
    }
  }
}

final class PlainStream: PlainJob, @unchecked Sendable {
  private var reader: ChunkReader?
  private var buffered: [Chunk] = []
  private var uploading = 0
  private var isAtTheEnd = false
  private var uploaders = 1
  /// What may be read before something is taken: the producer waits for it.
  private let room = DispatchSemaphore(value: 0)

  func start(_ media: Media, buffer: Int) -> any Cancellable {
    do { reader = try service.chunks(of: media) } catch {
      fail(error)
      return self
    }
    (uploaders, receipts) = (limit, [])
    for _ in 0..<max(buffer, 1) + uploaders + (slip == .buffersOneMore ? 1 : 0) { room.signal() }
    for _ in 0..<(slip == .readsTwiceAtOnce ? 2 : 1) { Thread.detachNewThread { self.produce() } }
    return self
  }

  private func produce() {
    while true {
      room.wait()
      guard !hasEnded, let reader = lock.withLock({ self.reader }) else { return }
      do {
        guard let chunk = try reader.next() else { return endOfMedia() }
        lock.withLock { buffered.append(chunk) }
        uploadMore()
      } catch {
        return slip == .takesAFailedReadForTheEnd ? endOfMedia() : fail(error)
      }
    }
  }

  private func endOfMedia() {
    let isOver = lock.withLock {
      isAtTheEnd = true
      if slip == .missesTheEnd { return false }
      if slip == .hangsWithoutChunks, receipts.isEmpty, buffered.isEmpty { return false }
      return uploading == 0 && buffered.isEmpty && !hasEnded
    }
    if isOver { createPost() }
  }

  private func uploadMore() {
    while let chunk = lock.withLock({ () -> Chunk? in
      guard uploading < uploaders, !buffered.isEmpty, !hasEnded else { return nil }
      uploading += 1
      let chunk = buffered.removeFirst()
      while receipts.count <= chunk.index { receipts.append(nil) }
      return chunk
    }) {
      upload(chunk)
    }
  }

  private func upload(_ chunk: Chunk) {
    let (index, service) = (chunk.index, service)
    ask {
      service.upload(chunk, completion: $0)
    } then: { result in
      switch result {
      case .failure(let error): self.fail(error)
      case .success(let receipt):
        let isOver = self.lock.withLock {
          self.receipts[index] = receipt
          self.uploading -= 1
          return self.isAtTheEnd && self.uploading == 0 && self.buffered.isEmpty
        }
        self.room.signal()
        if isOver { self.createPost() } else { self.uploadMore() }
      }
    }
  }

  override func stopped() {
    lock.withLock { (reader, buffered) = (nil, []) }
    if slip != .leavesItsProducerWaiting { for _ in 0..<2 { room.signal() } }
  }
}

final class PlainRaces: PlainJob, @unchecked Sendable {
  var hedgeDelay = Duration.zero

  private struct Race {
    var errors: [(mirror: Mirror, error: any Error)] = []
    var isWon = false
  }

  private var races: [Race] = []
  private var losers: [Int] = []

  override func start() -> any Cancellable {
    races = Array(repeating: Race(), count: post.media.count)
    return super.start()
  }

  override func start(_ index: Int) {
    let (primary, secondary, timer) = (newID(), newID(), newID())
    let ids = [primary, secondary, timer]
    upload(index, to: .primary, as: primary, of: ids)
    if hedgeDelay <= .zero {
      drop(timer)
      upload(index, to: .secondary, as: secondary, of: ids)
    } else {
      after(hedgeDelay, as: timer) { self.upload(index, to: .secondary, as: secondary, of: ids) }
    }
  }

  private func upload(_ index: Int, to mirror: Mirror, as id: Int, of ids: [Int]) {
    if slip == .keepsOneHandleOfTwo, mirror == .secondary { forget(ids[0]) }
    let service = service
    ask(as: id) {
      service.upload(post.media[index], to: mirror, completion: $0)
    } then: { result in
      self.answered(index, mirror, result, ids)
    }
  }

  private func answered(_ index: Int, _ mirror: Mirror, _ result: Result<Receipt, any Error>, _ ids: [Int]) {
    switch result {
    case .success:
      let wasWon = lock.withLock {
        defer { races[index].isWon = true }
        return races[index].isWon
      }
      if wasWon, slip != .countsTheLoser { return }
      switch slip {
      case .leavesTheHedgesTimer: drop(ids[0])
      case .cancelsLosersAtTheEnd: lock.withLock { losers += ids }
      case .countsTheLoser: drop(ids[2])
      default: for id in ids { drop(id) }
      }
      uploaded(index, result)
    case .failure(let error):
      if slip == .givesUpWithThePrimary, mirror == .primary { return fail(error) }
      let errors = lock.withLock {
        races[index].errors.append((mirror, error))
        return races[index].errors
      }
      if errors.count == 1, slip == .hedgesAtTheFirstFailure, mirror == .primary, hedgeDelay > .zero {
        drop(ids[2])
        return upload(index, to: .secondary, as: ids[1], of: ids)
      }
      guard errors.count == 2 else { return }
      let isInOrder = errors[0].mirror == .primary || slip == .swapsTheErrors
      let (first, second) =
        isInOrder ? (errors[0].error, errors[1].error) : (errors[1].error, errors[0].error)
      fail(RaceFailure(mediaIndex: index, primary: first, secondary: second))
    }
  }

  override func createPost() {
    for id in lock.withLock({ losers }) { drop(id) }
    super.createPost()
  }
}

final class PlainResilient: PlainJob, @unchecked Sendable {
  var policy = RetryPolicy()
  private var attempts = 0
  private var deadline = 0
  private var backoffs = 0

  override func start() -> any Cancellable {
    if let limit = policy.deadline {
      if limit <= .zero {
        finish(.failure(DeadlineExceeded()))
        return self
      }
      deadline = newID()
      after(limit, as: deadline) { self.finish(.failure(DeadlineExceeded())) }
    }
    return super.start()
  }

  override func start(_ index: Int) { attempt(index, 1) }

  private func attempt(_ index: Int, _ number: Int) {
    let shared = lock.withLock {
      attempts += 1
      return attempts
    }
    let number = slip == .sharesItsAttempts ? shared : number
    guard let limit = policy.attemptDeadline else { return upload(index, number, timer: nil) }
    guard limit > .zero else { return failed(index, number, AttemptTimedOut(mediaIndex: index)) }
    let (timer, request) = (newID(), newID())
    after(limit, as: timer) {
      if self.slip == .givesUpWithoutCancelling { self.forget(request) }
      if self.slip == .countsALateAnswer { self.cancel(request) } else { self.drop(request) }
      self.failed(index, number, AttemptTimedOut(mediaIndex: index))
    }
    upload(index, number, as: request, timer: timer)
  }

  private func upload(_ index: Int, _ number: Int, as id: Int? = nil, timer: Int?) {
    let service = service
    ask(as: id) {
      service.upload(post.media[index], completion: $0)
    } then: { result in
      if let timer, self.slip != .leavesTheAttemptsTimer { self.drop(timer) }
      switch result {
      case .success: self.uploaded(index, result)
      case .failure(let error): self.failed(index, number, error)
      }
    }
  }

  private func failed(_ index: Int, _ number: Int, _ error: any Error) {
    let mayTryAgain = RetryPolicy.isTransient(error) || slip == .retriesWhateverFails
    guard mayTryAgain, number < policy.attempts || slip == .triesForever else { return fail(error) }
    let wait = policy.backoff(afterAttempt: slip == .waitsAsLongEachTime ? 1 : number, of: post.media[index])
    guard wait > .zero else { return attempt(index, number + 1) }
    switch slip {
    case .waitsOutTheBackoff:
      lock.withLock { backoffs += 1 }
      DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) {
        self.lock.withLock { self.backoffs -= 1 }
        self.attempt(index, number + 1)
        self.endAfterTheBackoffs()
      }
    case .retriesAfterTheStop:
      DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) {
        if self.hasEnded { return self.service.upload(self.post.media[index]) { _ in }.cancel() }
        self.attempt(index, number + 1)
      }
    default: after(wait) { self.attempt(index, number + 1) }
    }
  }

  override func cancel() {
    guard slip == .waitsOutTheBackoff else { return super.cancel() }
    let mustWait = lock.withLock {
      isCancelled = true
      return backoffs > 0
    }
    if !mustWait { super.cancel() }
  }

  private func endAfterTheBackoffs() {
    if lock.withLock({ isCancelled && backoffs == 0 }) { super.cancel() }
  }

  override func createPost() {
    if slip == .sparesThePostTheDeadline, deadline > 0 { drop(deadline) }
    super.createPost()
  }
}
