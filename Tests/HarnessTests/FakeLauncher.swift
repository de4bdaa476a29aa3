@testable import Harness
import UploadScenario

/// A worker in this process, or one that fails as told.
final class FakeWorker<Request: WorkerRequest>: WorkerHandle {
  let answer: (Request) throws(WorkerFailure) -> Request.Reply
  private(set) var isStopped = false
  private(set) var answered = 0
  private(set) var timeouts: [WorkerTimeout] = []
  /// What its process would have used of the processors.
  var processorNanoseconds: UInt64?
  /// Whether a signal has stopped it.
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
  /// What each worker says that it has used.
  var processorNanoseconds: UInt64?
  var whenLaunched: () -> Void = {}

  init(answer: @escaping (String, Request) throws(WorkerFailure) -> Request.Reply) { self.answer = answer }

  func launch(_ contender: String) throws(WorkerFailure) -> any WorkerHandle<Request> {
    whenLaunched()
    let worker = FakeWorker<Request> { request throws(WorkerFailure) in try self.answer(contender, request) }
    worker.processorNanoseconds = processorNanoseconds
    workers.append((contender, worker))
    return worker
  }
}

/// Workers that take samples of scenarios.
typealias FakeSamplers = FakeLauncher<SampleRequest<Scenario>>
