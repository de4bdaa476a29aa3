import Foundation

/// A process that answers requests with replies, a line of JSON each.
package final class WorkerProcess<Request: WorkerRequest>: LineProcess, WorkerHandle {
  /// How long everything is to take: one that gives no answer is given up sooner if that is short.
  package var budgetSeconds = Int.max
  private var claims = Claims()
  /// The requests that it has had: most come again.
  private var lines: [Request: Data] = [:]

  package func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    let seconds = timeout.seconds(withinBudget: budgetSeconds)
    try send(try line(of: request))
    let reply = try Self.decode(try readLine(seconds: seconds))
    if let reason = claims.excess(reply.claim) ?? misconduct() { throw .misconduct(reason) }
    return reply
  }

  private func line(of request: Request) throws(WorkerFailure) -> Data {
    if let line = lines[request] { return line }
    guard let line = try? JSONEncoder().encode(request) else {
      throw .cannotStart(reason: "its request cannot be written")
    }
    lines[request] = line
    return line
  }

  /// Another build may be at the other end, or a contender that writes where it should not.
  private static func decode(_ line: [UInt8]) throws(WorkerFailure) -> Request.Reply {
    guard let reply = try? JSONDecoder().decode(Request.Reply.self, from: Data(line)), reply.isPlausible
    else {
      throw .garbled(line: String(decoding: line, as: UTF8.self))
    }
    return reply
  }
}

/// What a worker has claimed so far.
struct Claims {
  /// Asked for once: the answer takes several files.
  private static let processors = ProcessInfo.processInfo.activeProcessorCount

  private var processorNanoseconds = 0.0
  private var availableNanoseconds = 0.0

  /// What cannot be of a claim, of so many processors; nil if it can.
  mutating func excess(
    _ claim: (processorNanoseconds: UInt64, ofNanoseconds: UInt64)?,
    processors: Int = Self.processors
  ) -> String? {
    guard let claim else { return nil }
    availableNanoseconds += Double(claim.ofNanoseconds) * Double(processors)
    processorNanoseconds += Double(claim.processorNanoseconds)
    // The kernel counts what a thread takes in steps, some of them before the sample.
    return processorNanoseconds > 1.1 * availableNanoseconds + 50_000_000
      ? "its processor time is more than \(processors) processors have in its time" : nil
  }
}
