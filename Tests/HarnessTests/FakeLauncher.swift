import Foundation
import RawThreads
import Synchronization
import UploadScenario

@testable import Harness

final class FakeWorker<Request: WorkerRequest>: WorkerHandle {
  let answer: (Request) throws(WorkerFailure) -> Request.Reply
  private(set) var isStopped = false
  private(set) var answered = 0
  private(set) var timeouts: [WorkerTimeout] = []
  var processorNanoseconds: UInt64?
  var isSignalled = false

  init(answer: @escaping (Request) throws(WorkerFailure) -> Request.Reply) { self.answer = answer }

  func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    answered += 1
    timeouts.append(timeout)
    return try answer(request)
  }

  func stop() { isStopped = true }

  func wasStopped() -> Bool { isSignalled }
}

final class FakeLauncher<Request: WorkerRequest> {
  var workers: [(contender: String, worker: FakeWorker<Request>)] = []
  let answer: (String, Request) throws(WorkerFailure) -> Request.Reply
  var processorNanoseconds: UInt64?
  var whenLaunched: () -> Void = {}

  init(answer: @escaping (String, Request) throws(WorkerFailure) -> Request.Reply) { self.answer = answer }

  func launch(_ contender: String, _ work: Request.Work) throws(WorkerFailure) -> any WorkerHandle<Request> {
    whenLaunched()
    let worker = FakeWorker<Request> { request throws(WorkerFailure) in try self.answer(contender, request) }
    worker.processorNanoseconds = processorNanoseconds
    workers.append((contender, worker))
    return worker
  }
}

typealias FakeSamplers = FakeLauncher<SampleRequest<Scenario>>

final class FakeClock: Sendable {
  private let now = Atomic<UInt64>(1_000)
  private let step: UInt64

  init(step: UInt64 = 10) { self.step = step }

  func pass(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }

  var clock: HarnessClock {
    var clock = HarnessClock { self.now.add(self.step, ordering: .relaxed).newValue }
    clock.park = { parker, deadline in
      if parker.park(untilNanoseconds: 0) { return true }
      self.now.max(deadline, ordering: .relaxed)
      return false
    }
    return clock
  }
}

extension PartialContender {
  var summary: String { "a fake" }
  var patterns: [Pattern] { [.publish] }
}

/// Uploads media files in sequence, and misbehaves in one way that the harness must notice.
final class FakeContender: PartialContender {
  enum Behaviour: String, Sendable, CaseIterable {
    case honest, throwsError, hangs, answersTwice, leaks, ignoresLimit, oneTooFew, uploadsTwice,
      twoPosts, startsAfterCompletion, postsAfterFailure, answersForOther
  }

  let name: String
  private let behaviour: Behaviour
  private let held = Mutex<[Completion]>([])

  init(_ behaviour: Behaviour) {
    self.behaviour = behaviour
    name = behaviour.rawValue
  }

  private struct Refusal: Error {}

  private final class Job: Cancellable {
    let uploads = Mutex<[any Cancellable]>([])
    func cancel() { for upload in uploads.withLock({ $0 }) { upload.cancel() } }
  }

  func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
    -> any Cancellable
  {
    let job = Job()
    switch behaviour {
    case .throwsError:
      completion(.failure(Refusal()))
      return job
    case .hangs:
      held.withLock { $0.append(completion) }
      return job
    case .leaks: held.withLock { $0.append(completion) }
    default: break
    }
    let results = Mutex<[Result<Receipt, any Error>]>([])
    var media = post.media
    if behaviour == .oneTooFew { media = media.dropLast() }
    if behaviour == .uploadsTwice { media += media.prefix(1) }
    for item in media {
      let upload = service.upload(item) { result in results.withLock { $0.append(result) } }
      job.uploads.withLock { $0.append(upload) }
    }
    if results.withLock({ $0.isEmpty }), !media.isEmpty {
      // The service answers only after a cancel.
      let waiting = Mutex<Completion?>(completion)
      return FakeService.Handle {
        job.cancel()
        let completion = waiting.withLock { $0.take() }
        completion?(.failure(CancellationError()))
      }
    }
    end(post, results.withLock { $0 }, to: service, completion)
    return job
  }

  private func end(
    _ post: Post, _ results: [Result<Receipt, any Error>], to service: some UploadService,
    _ completion: @escaping Completion
  ) {
    do {
      var receipts = try results.map { try $0.get() }
      if behaviour == .answersForOther { receipts[0] = receipts[1] }
      let times = behaviour == .twoPosts ? 2 : 1
      for time in 1...times {
        _ = service.createPost(post, receipts: receipts) { result in if time == times { completion(result) } }
      }
    } catch {
      if behaviour == .postsAfterFailure { _ = service.createPost(post, receipts: []) { _ in } }
      completion(.failure(error))
    }
    if behaviour == .answersTwice { completion(.failure(Refusal())) }
    if behaviour == .startsAfterCompletion { _ = service.upload(post.media[0]) { _ in } }
  }
}

/// Answers on the calling thread, or only after a cancel.
final class FakeService: UploadService, Sendable {
  let ledger: Ledger
  let scenario: Scenario

  init(ledger: Ledger, scenario: Scenario) {
    self.ledger = ledger
    self.scenario = scenario
  }

  final class Handle: Cancellable {
    let onCancel: @Sendable () -> Void
    init(onCancel: @escaping @Sendable () -> Void = {}) { self.onCancel = onCancel }
    func cancel() { onCancel() }
  }

  func perform(_ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void)
    -> any Cancellable
  {
    ledger.uploadStarted(request.ledgerIndex)
    if scenario.cancelAfter != nil {
      return Handle {
        self.ledger.uploadCancelled(request.ledgerIndex)
        completion(.failure(CancellationError()))
      }
    }
    if let failure = scenario.faults.error(of: request) {
      ledger.uploadFailed(request.ledgerIndex)
      completion(.failure(failure))
    } else {
      ledger.uploadFinished(request.ledgerIndex)
      completion(.success(request.receipt))
    }
    return Handle()
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { media.expectedReceipt }
  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    return try PreparedMedia(media, passes: 1)
  }
  func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 8) }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postRequested()
    ledger.postCreated(receipts)
    completion(.success(Publication(postID: post.id, receipts: receipts)))
    return Handle()
  }
}

extension UploadSetup {
  /// With services that answer before the call returns.
  static func faked(_ contender: any Contender, clock: HarnessClock = .monotonic) -> UploadSetup {
    UploadSetup(contender, clock: clock) { scenario, _, ledgers in
      ledgers.map { FakeService(ledger: $0, scenario: scenario) }
    }
  }
}
