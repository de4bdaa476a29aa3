import Harness
import UploadScenario

/// A worker in this process, or one that fails as told.
final class FakeWorker: WorkerHandle {
  let answer: (SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply
  private(set) var isStopped = false
  private(set) var answered = 0

  init(answer: @escaping (SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply) {
    self.answer = answer
  }

  func run(_ request: SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply {
    answered += 1
    return try answer(request)
  }

  func stop() { isStopped = true }
}

final class FakeLauncher: WorkerLauncher {
  var workers: [(contender: String, worker: FakeWorker)] = []
  let answer: (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply

  init(answer: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply) {
    self.answer = answer
  }

  func launch(contender: String) throws(WorkerFailure) -> any WorkerHandle<Scenario> {
    let worker = FakeWorker { request throws(WorkerFailure) in try self.answer(contender, request) }
    workers.append((contender, worker))
    return worker
  }
}
