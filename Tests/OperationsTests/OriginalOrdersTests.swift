import Dispatch
import Foundation
import TestSupport
import Testing

/// The orders that introductions to operations show, on a real queue.
@Suite(.ownThread) struct OriginalOrdersTests {
  private let log = Log<String>()
  /// Steps finish here, as an introduction's do on the main queue.
  private let elsewhere = DispatchQueue(label: "elsewhere")
  private let queue = OperationQueue()

  private func step(_ name: String) -> Step { Step(name, log, finishesOn: elsewhere) }

  /// Adds the end, which depends on the steps, before them.
  private func run(_ steps: [Step], endDepends: Bool = true, atOnce: Int) {
    queue.maxConcurrentOperationCount = atOnce
    let end = BlockOperation { log.append("end") }
    if endDepends { for step in steps { end.addDependency(step) } }
    queue.addOperations([end] + steps, waitUntilFinished: false)
  }

  @Test func `a dependent operation runs after its dependency, whichever was added first`() {
    queue.maxConcurrentOperationCount = 1
    let first = BlockOperation { log.append("A") }
    let second = BlockOperation { log.append("B") }
    second.addDependency(first)
    queue.addOperations([second, first], waitUntilFinished: true)
    #expect(log.entries == ["A", "B"])
  }

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

  @Test func `one at a time, each step ends before the next, and their dependent is last`() {
    run([step("1"), step("2")], atOnce: 1)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.entries == ["start 1", "finish 1", "start 2", "finish 2", "end"])
  }

  @Test func `one at a time without dependencies, operations run in the order in which they were added`() {
    run([step("1"), step("2")], endDepends: false, atOnce: 1)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.entries == ["end", "start 1", "finish 1", "start 2", "finish 2"])
  }

  @Test func `three at a time, a step does not wait for another, but their dependent does`() {
    let steps = [step("1"), step("2")]
    elsewhere.suspend()
    run(steps, atOnce: 3)
    // Both start before either can finish.
    for step in steps { step.hasStarted.wait() }
    elsewhere.resume()
    queue.waitUntilAllOperationsAreFinished()
    #expect(Set(log.entries.prefix(2)) == ["start 1", "start 2"])
    #expect(
      Set(log.entries.dropFirst(2).dropLast()) == ["finish 1", "finish 2"] && log.entries.last == "end")
  }

  /// Dispatch decides when it is called relative to the next operation.
  @Test func `a completion block is called once its operation has finished`() {
    let steps = [step("1"), step("2")]
    let completed = DispatchSemaphore(value: 0)
    for step in steps {
      step.completionBlock = {
        log.append("complete \(step.title)")
        completed.signal()
      }
    }
    run(steps, atOnce: 1)
    queue.waitUntilAllOperationsAreFinished()
    for _ in steps { completed.wait() }
    let order = log.entries
    #expect(
      order.filter { !$0.hasPrefix("complete") }
        == ["start 1", "finish 1", "start 2", "finish 2", "end"])
    for step in steps {
      #expect(order.firstIndex(of: "finish \(step.title)")! < order.firstIndex(of: "complete \(step.title)")!)
    }
    #expect(order.count == 7)
  }

  @Test func `a group notifies when all its members have left`() {
    let group = DispatchGroup()
    for number in 1...3 {
      group.enter()
      DispatchQueue.global().async {
        elsewhere.async {
          log.append("part \(number)")
          group.leave()
        }
      }
    }
    let notified = DispatchSemaphore(value: 0)
    group.notify(queue: .global()) {
      log.append("all")
      notified.signal()
    }
    notified.wait()
    #expect(log.entries.count == 4 && log.entries.last == "all")
  }

  @Test func `a work item cancelled before its start does not run; a running one sees it`() {
    let (begun, mayLook) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isCancelled = Guarded<@Sendable () -> Bool>({ false })
    let running = DispatchWorkItem {
      begun.signal()
      mayLook.wait()
      log.append("cancelled: \(isCancelled.withLock { $0 }())")
    }
    let waiting = DispatchWorkItem { log.append("never") }
    isCancelled.withLock { $0 = { [unchecked = Unchecked(running)] in unchecked.item.isCancelled } }
    elsewhere.async(execute: running)
    elsewhere.async(execute: waiting)
    begun.wait()
    waiting.cancel()
    running.cancel()
    mayLook.signal()
    elsewhere.sync {}
    #expect(log.entries == ["cancelled: true"])
    isCancelled.withLock { $0 = { false } }
  }
}

/// Any thread may cancel a work item.
private struct Unchecked: @unchecked Sendable {
  let item: DispatchWorkItem
  init(_ item: DispatchWorkItem) { self.item = item }
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
