import Foundation

/// Starts an executable as a worker: this same one, or another build of it.
package struct WorkerProcessLauncher<Request: WorkerRequest>: WorkerLauncher {
  private let executable: URL
  private let arguments: @Sendable (_ contender: String) -> [String]
  private let placement: Placement
  private let budgetSeconds: Int
  private let isInterrupted: @Sendable () -> Bool

  /// - Parameters:
  ///   - arguments: what makes it a worker of a contender.
  ///   - budgetSeconds: how long everything is to take. A worker that gives no answer is given up sooner if that is short.
  package init(
    executable: URL, arguments: @escaping @Sendable (_ contender: String) -> [String],
    placement: Placement = .anywhere, budgetSeconds: Int = .max,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.executable = executable
    self.arguments = arguments
    self.placement = placement
    self.budgetSeconds = budgetSeconds
    self.isInterrupted = isInterrupted
  }

  package func launch(contender: String) throws(WorkerFailure) -> any WorkerHandle<Request> {
    WorkerProcess(
      process: try LineProcess(
        executable: executable, arguments: arguments(contender), placement: placement,
        isInterrupted: isInterrupted),
      budgetSeconds: budgetSeconds)
  }
}

/// A process that answers requests with replies, a line of JSON each.
private final class WorkerProcess<Request: WorkerRequest>: WorkerHandle {
  private let process: LineProcess
  private let budgetSeconds: Int

  init(process: LineProcess, budgetSeconds: Int) {
    self.process = process
    self.budgetSeconds = budgetSeconds
  }

  func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    guard let line = try? JSONEncoder().encode(request) else {
      throw .cannotStart(reason: "its request cannot be written")
    }
    let seconds = timeout.seconds(withinBudget: budgetSeconds)
    try process.send(line)
    return try Self.decode(try process.readLine(seconds: seconds))
  }

  func stop() { process.stop() }

  var processorNanoseconds: UInt64? { process.processorNanoseconds }

  /// What came out of the pipe need not be a reply: another build may be at the other end, or a contender that writes
  /// where it should not.
  private static func decode(_ line: [UInt8]) throws(WorkerFailure) -> Request.Reply {
    let data = Data(line)
    guard let reply = try? JSONDecoder().decode(Request.Reply.self, from: data),
      let values = try? JSONSerialization.jsonObject(with: data), isPlausible(values)
    else { throw .garbled(line: String(decoding: line, as: UTF8.self)) }
    return reply
  }

  /// Whether each number is one that can have been measured: sums of them are taken. The greatest is ten days in
  /// nanoseconds, which is more of anything than can be counted in that time.
  private static func isPlausible(_ value: Any) -> Bool {
    switch value {
    case let number as NSNumber: (0...864_000_000_000_000.0).contains(number.doubleValue)
    case let values as [Any]: values.allSatisfy(isPlausible)
    case let values as [String: Any]: values.values.allSatisfy(isPlausible)
    default: true
    }
  }
}
