import Foundation
import Results

package final class WorkerProcess<Request: WorkerRequest>: LineProcess, WorkerHandle {
  /// The time that the whole run may take. If it is short, a silent worker is killed sooner.
  package var budgetSeconds = Int.max
  /// Requests as JSON, kept because most requests repeat.
  private var lines: [Request: Data] = [:]

  package func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    let seconds = timeout.seconds(withinBudget: budgetSeconds)
    try send(try line(of: request))
    let reply: Request.Reply = try readValue(seconds: seconds) { $0.isPlausible }
    if let reason = misconduct() { throw .misconduct(reason) }
    return reply
  }

  private func line(of request: Request) throws(WorkerFailure) -> Data {
    if let line = lines[request] { return line }
    guard let line = try? JSONEncoder().encode(request) else {
      throw .cannotStart(reason: "a request to the worker process cannot be encoded as JSON")
    }
    lines[request] = line
    return line
  }
}

enum StderrExcerpt {
  /// The first line of standard error that mentions an error, with its cause if known; empty if there is none.
  static func quote(_ text: String) -> String {
    let line = text.split(separator: "\n").first {
      $0.localizedStandardContains("error") || $0.contains("overflow")
    }
    guard let line else { return "" }
    let cause =
      text.contains("Transfer completed, but there's no response")
      ? ": the server cut off an answer inside its headers, so Foundation ended the process; the contender is not at fault"
      : ""
    return ", saying “\(SafeText.excerpt(line, 200))”\(cause)"
  }
}

enum OutOfMemory {
  /// The number of processes killed for lack of memory so far, in the control group or on the machine. `nil` if unknown.
  static func kills(_ files: MachineFiles = .here) -> Int? {
    (ControlGroup(files).outOfMemoryKills ?? files.number("oom_kill ", in: "/proc/vmstat")).map { Int($0) }
  }

  /// The likely reason for a signal 9 that this process did not send.
  static func reason(
    killsBefore: Int?, killsAfter: Int?, limit: MachineRecord.Limit? = ControlGroup(.here).memoryLimitBytes
  ) -> String {
    guard let killsBefore, let killsAfter else { return ", most likely out of memory" }
    guard killsAfter > killsBefore else { return ", sent from outside" }
    let room =
      if case .at(let bytes) = limit { "; its control group has \(Int(bytes / 0x1p20)) MiB" } else { "" }
    return ", out of memory: the kernel killed it\(room)"
  }
}
