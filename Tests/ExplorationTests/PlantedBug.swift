import Exploration
import Synchronization

struct Wrong: Error {}

/// A number that is counted up from anywhere.
final class Counter: Sendable {
  private let value = Mutex(0)

  @discardableResult func add(_ difference: Int = 1) -> Int {
    value.withLock { value in
      value += difference
      return value
    }
  }
  var count: Int { value.withLock { $0 } }
}

/// A value that closures share.
final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}

/// Code that fails in some order of its steps, and the same without the bug.
struct PlantedBug: Sendable, CustomStringConvertible {
  let description: String
  /// What is said of it, in part.
  let problem: String
  private let run: @Sendable (ScheduleContext, _ isWrong: Bool) async throws -> Void

  init(
    _ description: String, _ problem: String,
    _ run: @escaping @Sendable (ScheduleContext, _ isWrong: Bool) async throws -> Void
  ) {
    (self.description, self.problem, self.run) = (description, problem, run)
  }

  func body(_ exploration: ScheduleContext) async throws { try await run(exploration, true) }
  func corrected(_ exploration: ScheduleContext) async throws { try await run(exploration, false) }

  static let all: [PlantedBug] = [
    PlantedBug("re-entrancy: a balance that was checked before a wait", "Wrong") { _, isWrong in
      let account = Account()
      async let one: Void = account.take(80, isWrong: isWrong)
      async let other: Void = account.take(80, isWrong: isWrong)
      _ = await (one, other)
      guard await account.balance >= 0 else { throw Wrong() }
    },
    PlantedBug("re-entrancy: a cache that loads twice", "Wrong") { _, isWrong in
      let cache = Cache()
      async let one: Void = cache.load(isWrong: isWrong)
      async let other: Void = cache.load(isWrong: isWrong)
      _ = await (one, other)
      guard await cache.loads == 1 else { throw Wrong() }
    },
    PlantedBug("a lost update between two messages", "Wrong") { _, isWrong in
      let cell = Cell()
      @Sendable func add() async {
        if isWrong { await cell.set(cell.value + 1) } else { await cell.add() }
      }
      async let one: Void = add()
      async let other: Void = add()
      _ = await (one, other)
      guard await cell.value == 2 else { throw Wrong() }
    },
    PlantedBug("a lost wake-up", "nobody will do") { _, isWrong in
      let door = Door()
      async let passed: Void = door.pass(isWrong: isWrong)
      async let opened: Void = door.open()
      _ = await (passed, opened)
    },
    PlantedBug("one waits, and a second one takes its place", "nobody will do") { _, isWrong in
      let signal = Signal(isWrong: isWrong)
      async let one: Void = signal.wait()
      async let other: Void = signal.wait()
      async let set: Void = signal.set()
      _ = await (one, other, set)
    },
    PlantedBug("results in the order of completion", "Wrong") { _, isWrong in
      let results = await withTaskGroup(of: (Int, Int).self) { group in
        for index in 0..<2 {
          group.addTask {
            await Task.yield()
            return (index, index * 10)
          }
        }
        var results: [(Int, Int)] = []
        for await result in group { results.append(result) }
        return isWrong ? results : results.sorted { $0.0 < $1.0 }
      }
      guard results.map(\.1) == [0, 10] else { throw Wrong() }
    },
    PlantedBug("a limit that a failure opens", "Wrong") { _, isWrong in
      let (running, most) = (Counter(), Shared(0))
      await withTaskGroup(of: Bool.self) { group in
        @Sendable func work(_ index: Int) async -> Bool {
          let now = running.add()
          most.withLock { $0 = max($0, now) }
          await Task.yield()
          running.add(-1)
          return index != 0
        }
        for index in 0..<2 { group.addTask { await work(index) } }
        var next = 2
        while let isDone = await group.next() {
          // Who fails is tried again, beside the next one.
          if !isDone, isWrong { group.addTask { await work(1) } }
          if next < 4 {
            let index = next
            group.addTask { await work(index) }
            next += 1
          }
        }
      }
      guard most.withLock({ $0 }) <= 2 else { throw Wrong() }
    },
    PlantedBug("a cancellation that meets the end", "Wrong") { _, isWrong in
      let ends = Counter()
      let isEnded = Shared(false)
      @Sendable func end() async {
        if isWrong {
          if isEnded.withLock({ $0 }) { return }
          await Task.yield()
          isEnded.withLock { $0 = true }
          ends.add()
        } else if isEnded.withLock({ isEnded in
          defer { isEnded = true }
          return !isEnded
        }) {
          ends.add()
        }
      }
      async let finished: Void = end()
      async let cancelled: Void = end()
      _ = await (finished, cancelled)
      guard ends.count == 1 else { throw Wrong() }
    },
    PlantedBug("a continuation that nobody resumes after a cancellation", "nobody will do") { _, isWrong in
      let waiting = Shared<CheckedContinuation<Void, Never>?>(nil)
      let isCancelled = Shared(false)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await withTaskCancellationHandler {
            await Task.yield()
            await withCheckedContinuation { continuation in
              waiting.withLock { $0 = continuation }
              // The handler may have run before.
              if !isWrong, isCancelled.withLock({ $0 }) { waiting.withLock { $0.take() }?.resume() }
            }
          } onCancel: {
            isCancelled.withLock { $0 = true }
            waiting.withLock { $0.take() }?.resume()
          }
        }
        await Task.yield()
        group.cancelAll()
      }
    },
    PlantedBug("a deadline that comes before the answer is taken", "Wrong") { exploration, isWrong in
      let answered = Counter()
      await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          try? await exploration.clock.sleep(for: .seconds(1))
          return answered.count > 0
        }
        group.addTask {
          try? await exploration.clock.sleep(for: .seconds(isWrong ? 1 : 0.5))
          answered.add()
          return true
        }
        for await isInTime in group where !isInTime { answered.add(-10) }
      }
      guard answered.count == 1 else { throw Wrong() }
    },
    PlantedBug("an order of messages that tasks do not keep", "Wrong") { _, isWrong in
      let log = Log()
      if isWrong {
        async let one: Void = log.append(1)
        async let other: Void = log.append(2)
        _ = await (one, other)
      } else {
        await log.append(1)
        await log.append(2)
      }
      guard await log.numbers == [1, 2] else { throw Wrong() }
    },
    PlantedBug("an unstructured task that is still at work", "Wrong") { _, isWrong in
      let counter = Counter()
      let task = Task { _ = counter.add() }
      if isWrong { await Task.yield() } else { await task.value }
      guard counter.count == 1 else { throw Wrong() }
    },
  ]
}

private actor Account {
  private(set) var balance = 100

  func take(_ amount: Int, isWrong: Bool) async {
    guard balance >= amount else { return }
    if isWrong { await Task.yield() }
    balance -= amount
  }
}

private actor Cache {
  private(set) var loads = 0
  private var value: Int?
  private var loading: Task<Int, Never>?

  func load(isWrong: Bool) async {
    if value != nil { return }
    if isWrong {
      loads += 1
      await Task.yield()
      value = 1
    } else {
      if loading == nil {
        loads += 1
        loading = Task { 1 }
      }
      value = await loading?.value
    }
  }
}

private actor Cell {
  private(set) var value = 0
  func set(_ value: Int) { self.value = value }
  func add() { value += 1 }
}

private actor Door {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func pass(isWrong: Bool) async {
    if isOpen { return }
    if isWrong { await Task.yield() }
    await withCheckedContinuation { waiting.append($0) }
  }
}

private actor Signal {
  private let isWrong: Bool
  private var isSet = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  init(isWrong: Bool) { self.isWrong = isWrong }

  func wait() async {
    if isSet { return }
    await withUnsafeContinuation { continuation in
      if isWrong { waiting = [continuation] } else { waiting.append(continuation) }
    }
  }

  func set() {
    isSet = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

private actor Log {
  private(set) var numbers: [Int] = []
  func append(_ number: Int) { numbers.append(number) }
}
