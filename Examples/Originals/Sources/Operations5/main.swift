// Steps that end on another queue, in the orders that a queue of operations keeps; also a group and a work item.
import Foundation

let log = Log()

class Log {
  private let lock = NSLock()
  private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }
  func take() -> [String] {
    lock.withLock {
      defer { lines = [] }
      return lines
    }
  }
}

// An operation that ends when it says so. Linux: isConcurrent cannot be overridden, isAsynchronous can.

class Step: Foundation.Operation {
  enum Status {
    case ready
    case execute
    case finished
  }

  var status: Status = .ready {
    willSet {
      willChangeValue(forKey: "isExecuting")
      willChangeValue(forKey: "isFinished")
    }
    didSet {
      didChangeValue(forKey: "isExecuting")
      didChangeValue(forKey: "isFinished")
    }
  }

  override var isAsynchronous: Bool {
    return true
  }
  override var isExecuting: Bool {
    return status == .execute
  }
  override var isFinished: Bool {
    return status == .finished
  }

  override func start() {
    log.add("start \(name!)")
    status = .execute
    DispatchQueue.main.async {
      log.add("finish \(self.name!)")
      self.status = .finished
    }
  }
}

class Plain: Operation {
  override func main() {
    log.add(name!)
  }
}

func check(_ isRight: Bool, _ what: String) {
  print(isRight ? "right:" : "wrong:", what)
  if !isRight { exit(1) }
}

/// Two steps and an end that is added before them.
func run(atOnce: Int, endDepends: Bool = true, completed: DispatchGroup? = nil) -> [String] {
  let steps = ["1", "2"].map { name -> Step in
    let step = Step()
    step.name = name
    if let completed = completed {
      completed.enter()
      step.completionBlock = {
        log.add("complete \(name)")
        completed.leave()
      }
    }
    return step
  }
  let end = Plain()
  end.name = "end"
  if endDepends {
    for step in steps { end.addDependency(step) }
  }
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = atOnce
  queue.addOperation(end)
  for step in steps { queue.addOperation(step) }
  queue.waitUntilAllOperationsAreFinished()
  completed?.wait()
  return log.take()
}

// The main thread serves the main queue, on which steps finish.
DispatchQueue.global().async {
  let first = Plain()
  first.name = "A"
  let second = Plain()
  second.name = "B"
  second.addDependency(first)
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  queue.addOperation(second)
  queue.addOperation(first)
  queue.waitUntilAllOperationsAreFinished()
  check(log.take() == ["A", "B"], "a dependency comes first, whichever was added first")

  check(run(atOnce: 1) == ["start 1", "finish 1", "start 2", "finish 2", "end"], "one at a time")
  check(
    run(atOnce: 1, endDepends: false) == ["end", "start 1", "finish 1", "start 2", "finish 2"],
    "in the order in which they were added")

  let three = run(atOnce: 3)
  check(three.last == "end" && three.count == 5, "three at a time: the end waits for both")

  let blocks = run(atOnce: 1, completed: DispatchGroup())
  check(
    blocks.filter { !$0.hasPrefix("complete") } == ["start 1", "finish 1", "start 2", "finish 2", "end"]
      && blocks.firstIndex(of: "finish 1")! < blocks.firstIndex(of: "complete 1")!
      && blocks.firstIndex(of: "finish 2")! < blocks.firstIndex(of: "complete 2")!,
    "a completion block comes after its operation")

  let group = DispatchGroup()
  for number in 1...3 {
    group.enter()
    DispatchQueue.global().async {
      log.add("part \(number)")
      group.leave()
    }
  }
  group.notify(queue: .main) {
    let parts = log.take()
    check(parts.count == 3, "a group notifies when all have left")

    let serial = DispatchQueue(label: "serial")
    serial.suspend()
    let item = DispatchWorkItem { log.add("work") }
    serial.async(execute: item)
    item.cancel()
    serial.resume()
    serial.sync {}
    check(log.take() == [] && item.isCancelled, "a work item that was cancelled before does not run")
    exit(0)
  }
}

dispatchMain()
