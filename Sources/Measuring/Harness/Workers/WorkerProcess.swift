import Foundation

/// Starts an executable as a worker: this same one, or another build of it.
package struct WorkerProcessLauncher<Request: WorkerRequest>: WorkerLauncher {
  private let executable: URL
  private let arguments: @Sendable (_ contender: String) -> [String]
  private let placement: Placement
  private let budgetSeconds: Int
  private let isThisBuild: Bool
  private let isInterrupted: @Sendable () -> Bool

  /// - Parameters:
  ///   - isThisBuild: whether the executable is this one, whose replies can be held to be its own.
  ///   - arguments: what makes it a worker of a contender.
  ///   - budgetSeconds: how long everything is to take. A worker that gives no answer is given up sooner if that is short.
  package init(
    executable: URL, arguments: @escaping @Sendable (_ contender: String) -> [String],
    placement: Placement = .anywhere, budgetSeconds: Int = .max, isThisBuild: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.isThisBuild = isThisBuild
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
        isSealed: isThisBuild, isInterrupted: isInterrupted),
      budgetSeconds: budgetSeconds)
  }
}

/// A process that answers requests with replies, a line of JSON each.
private final class WorkerProcess<Request: WorkerRequest>: WorkerHandle {
  private let process: LineProcess
  private let budgetSeconds: Int
  private var claims = Claims()

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
    let reply = try Self.decode(try process.readLine(seconds: seconds))
    if let reason = claims.excess(reply.claim) ?? process.misconduct() { throw .misconduct(reason) }
    return reply
  }

  func stop() { process.stop() }

  func wasStopped() -> Bool { process.wasStopped() }

  func hasDescendants() -> Bool { process.hasDescendants() }

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

/// What a worker has claimed so far.
struct Claims {
  /// Asked for once: the answer takes several files.
  private static let processors = ProcessInfo.processInfo.activeProcessorCount

  private var processorNanoseconds = 0.0
  private var availableNanoseconds = 0.0

  /// What cannot be of a claim; nil if it can.
  ///
  /// - Parameter processors: how many may have been at work for it.
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
