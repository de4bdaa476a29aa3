import Dispatch
import Foundation
import TestSupport
import Testing

/// Orders on a real queue that `Examples/Originals`, which CI runs, does not check.
@Suite(.ownThread) struct OriginalOrdersTests {
  private let log = Log<String>()
  /// Steps finish here, as they do on the main queue there.
  private let elsewhere = DispatchQueue(label: "elsewhere")
  private let queue = OperationQueue()

  @Test func `an operation ends when main returns, whatever it has begun elsewhere`() {
    elsewhere.suspend()
    let first = BlockOperation {
      log.append("A begins")
      elsewhere.async { log.append("A is done") }
    }
    let second = BlockOperation { log.append("B") }
    second.addDependency(first)
    queue.addOperations([second, first], waitUntilFinished: true)
    elsewhere.resume()
    elsewhere.sync {}
    #expect(log.entries == ["A begins", "B", "A is done"])
  }

  @Test func `three at a time, a step does not wait for another, but their dependent does`() {
    let steps = ["1", "2"].map { Step($0, log, finishesOn: elsewhere) }
    let end = BlockOperation { log.append("end") }
    for step in steps { end.addDependency(step) }
    elsewhere.suspend()
    queue.maxConcurrentOperationCount = 3
    queue.addOperations([end] + steps, waitUntilFinished: false)
    // Both start before either can finish.
    for step in steps { step.hasStarted.wait() }
    elsewhere.resume()
    queue.waitUntilAllOperationsAreFinished()
    #expect(Set(log.entries.prefix(2)) == ["start 1", "start 2"])
    #expect(
      Set(log.entries.dropFirst(2).dropLast()) == ["finish 1", "finish 2"] && log.entries.last == "end")
  }
}

/// An asynchronous operation: it ends when it says so, not when `start` returns.
///
/// `@unchecked Sendable`: `status` is under a lock; the rest is constant.
private final class Step: Operation, @unchecked Sendable {
  private enum Status { case ready, executing, finished }

  let title: String
  let hasStarted = DispatchSemaphore(value: 0)
  private let log: Log<String>
  private let elsewhere: DispatchQueue
  private let status = Guarded(Status.ready)

  init(_ title: String, _ log: Log<String>, finishesOn elsewhere: DispatchQueue) {
    self.title = title
    self.log = log
    self.elsewhere = elsewhere
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { status.withLock { $0 } == .executing }
  override var isFinished: Bool { status.withLock { $0 } == .finished }

  override func start() {
    log.append("start \(title)")
    move(to: .executing)
    elsewhere.async { [self] in
      log.append("finish \(title)")
      move(to: .finished)
    }
    hasStarted.signal()
  }

  private func move(to next: Status) {
    for key in ["isExecuting", "isFinished"] { willChangeValue(forKey: key) }
    status.withLock { $0 = next }
    for key in ["isExecuting", "isFinished"] { didChangeValue(forKey: key) }
  }
}
