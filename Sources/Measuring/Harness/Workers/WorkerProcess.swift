import Foundation
import Results

/// A process that answers requests with replies, a line of JSON each.
package final class WorkerProcess<Request: WorkerRequest>: LineProcess, WorkerHandle {
  /// How long everything is to take: one that gives no answer is given up sooner if that is short.
  package var budgetSeconds = Int.max
  /// The requests that it has had: most come again.
  private var lines: [Request: Data] = [:]

  package func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    let seconds = timeout.seconds(withinBudget: budgetSeconds)
    try send(try line(of: request))
    let reply = try Self.decode(try readLine(seconds: seconds))
    if let reason = misconduct() { throw .misconduct(reason) }
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

/// What a process printed on standard error before it ended, as a report quotes it.
enum StderrExcerpt {
  /// The line that tells of an error, and whose doing it was where that is known; empty if no line does.
  static func quote(_ text: String) -> String {
    let line = text.split(separator: "\n").first {
      $0.localizedStandardContains("error") || $0.contains("overflow")
    }
    guard let line else { return "" }
    let cause =
      text.contains("Transfer completed, but there's no response")
      ? ": the server cut an answer off inside its headers, and Foundation ends the process for that; it is not the contender's doing"
      : ""
    return ", saying “\(SafeText.excerpt(line, 200))”\(cause)"
  }
}

/// Processes that the kernel ended to get memory.
enum OutOfMemory {
  /// How many there were so far, in the control group or else on the machine; nil where the platform does not say.
  static func kills(_ files: MachineFiles = .here) -> Int? {
    (ControlGroup(files).outOfMemoryKills ?? files.number("oom_kill ", in: "/proc/vmstat")).map { Int($0) }
  }

  /// Why a process died of signal 9 that nobody here has sent; `limit` is of its control group's memory.
  static func reason(
    killsBefore: Int?, killsAfter: Int?, limit: MachineRecord.Limit? = ControlGroup(.here).memoryLimitBytes
  ) -> String {
    guard let killsBefore, let killsAfter else { return ", most likely out of memory" }
    guard killsAfter > killsBefore else { return ", sent from outside" }
    let room =
      if case .at(let bytes) = limit { ": its control group may have \(Int(bytes / 0x1p20)) MiB" } else { "" }
    return ", out of memory: the kernel ended it\(room)"
  }
}
