@testable import Harness
import UploadScenario

/// Starts workers in this process that reply with `answer`.
func fakeWorkers<Request: WorkerRequest>(
  _ answer: @escaping (_ contender: String, Request) throws(WorkerFailure) -> Request.Reply
) -> WorkerLauncher<Request> {
  { contender throws(WorkerFailure) in
    FakeWorker { request throws(WorkerFailure) in try answer(contender, request) }
  }
}

private final class FakeWorker<Request: WorkerRequest>: WorkerHandle {
  let answer: (Request) throws(WorkerFailure) -> Request.Reply

  init(answer: @escaping (Request) throws(WorkerFailure) -> Request.Reply) { self.answer = answer }

  func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    try answer(request)
  }

  func stop() {}
}

extension SampleReply {
  /// Of a sample that took so many nanoseconds a post, on the clock and of the processor.
  static func measured(_ request: SampleRequest<Scenario>, nanoseconds: UInt64) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    reply.wallNanoseconds = nanoseconds * UInt64(request.iterations)
    reply.usage.cpuUserNanoseconds = reply.wallNanoseconds
    return reply
  }
}
