import Foundation
import RawThreads
import Synchronization
import UploadScenario

@testable import Harness

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

/// Time that passes only when it is read or waited for: no test waits.
final class FakeClock: Sendable {
  private let now = Atomic<UInt64>(1_000)
  private let step: UInt64

  /// Every reading takes `step` nanoseconds.
  init(step: UInt64 = 10) { self.step = step }

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

/// A value as the other end of a pipe gets it.
enum JSONCopy {
  static func of<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }
}
