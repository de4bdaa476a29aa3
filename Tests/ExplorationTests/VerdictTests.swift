import Dispatch
import Exploration
import Foundation
import TestSupport
import Testing

/// A verdict says "all" only if all were tried, and names its assumptions.
@Suite(.ownThread) struct VerdictTests {
  enum Start: CaseIterable { case child, group, unstructured, detached, inActor, onMain }
  enum Gap: CaseIterable { case message, yield, sleep, continuation }

  /// Each kind of task, with each kind of suspension between a read and a write.
  @Test(arguments: Start.allCases, Gap.allCases) func `a lost update is found wherever it is`(
    _ start: Start, _ gap: Gap
  ) async throws {
    let found = await failure { exploration in
      let cell = Cell()
      @Sendable func add() async {
        let old = await cell.value
        switch gap {
        case .message: break
        case .yield: await Task.yield()
        case .sleep: try? await exploration.clock.sleep(for: .seconds(1))
        case .continuation: await withCheckedContinuation { $0.resume() }
        }
        await cell.set(old + 1)
      }
      switch start {
      case .child:
        async let one: Void = add()
        async let other: Void = add()
        _ = await (one, other)
      case .group:
        await withTaskGroup(of: Void.self) { group in for _ in 0..<2 { group.addTask { await add() } } }
      default:
        let tasks = (0..<2).map { _ in
          switch start {
          case .detached: Task.detached { await add() }
          case .onMain: Task { @MainActor in await add() }
          default: Task { await add() }
          }
        }
        if start == .inActor { await cell.run(add) }
        for task in tasks { await task.value }
      }
      guard await cell.value == (start == .inActor ? 3 : 2) else { throw Wrong() }
    }
    #expect(found?.problem == "the body threw Wrong()", "\(start) \(gap): \(String(describing: found))")
  }

  @Test func `main actor code is explored, and named`() async {
    let found = await failure { _ in
      let model = Model()
      async let one: Void = model.add()
      async let other: Void = model.add()
      _ = await (one, other)
      guard await model.value == 2 else { throw Wrong() }
    }
    #expect(
      found?.story.contains { $0.contains("MainActor runs task 1 of the body") } == true,
      "\(String(describing: found))")
  }

  @Test func `a default actor takes one message a step`() async {
    // Another task reads between two messages.
    let found = await failure { _ in
      let log = Log<Int>()
      let pair = Pair(log)
      async let looked = log.count
      for task in await pair.start() { await task.value }
      guard await looked != 1 else { throw Wrong() }
    }
    #expect(found != nil)
    // The more urgent message comes first.
    let urgent = await failure { _ in
      let log = Log<Int>()
      for task in await Pair(log).start(.background, .high) { await task.value }
      guard log.entries == [1, 2] else { throw Wrong() }
    }
    #expect(urgent != nil)
  }

  @Test func `a serial executor keeps the order of messages, another does not`() async throws {
    @Sendable func body(_ executor: SteppedExecutor) async throws {
      let log = Log<Int>()
      for task in await Ordered(log, executor).start() { await task.value }
      guard log.entries == [1, 2] else { throw Wrong() }
    }
    #expect(try await everySchedule { try await body($0.makeSerialExecutor()) }.isExhausted)
    #expect(await failure { try await body($0.makeReorderingExecutor()) } != nil)
  }

  @Test(arguments: 1...5)
  func `one early departure of many tasks is found within a thousand schedules`(_ others: Int) async {
    let found = await failure(.schedules(1_000)) { _ in
      let log = Log<Int>()
      let cells = [Cell(), Cell()]
      await withTaskGroup(of: Void.self) { group in
        for number in 1...2 { group.addTask { log.append(number) } }
        for other in 0..<others {
          group.addTask { for hop in 0..<2 { await cells[(other + hop) % 2].set(hop) } }
        }
      }
      guard log.entries == [1, 2] else { throw Wrong() }
    }
    #expect(found?.choices == [1])
  }

  @Test func `a report names its bound and its random schedules`() async throws {
    let report = try await everySchedule(.schedules(2_000)) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<6 { group.addTask { await Task.yield() } }
      }
    }
    #expect(!report.isExhausted)
    #expect(report.departures ?? 0 >= 1)
    #expect((400...600).contains(report.random), "\(report)")
  }

  @Test func `the order of a Set or a Dictionary is no failure`() async throws {
    let keys = try await everySchedule {
      let cell = Cell()
      let keys = Dictionary(uniqueKeysWithValues: (0..<3).map { (UUID(), $0) })
      await withTaskGroup(of: Void.self) { group in
        for key in keys.values { group.addTask { await cell.set(key) } }
      }
    }
    #expect(keys.isExhausted)
    // Tasks that one step wakes in another order are the same.
    let woken = try await everySchedule(.schedules(20_000)) {
      let gate = Gate()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await gate.wait() } }
        group.addTask { await gate.open() }
      }
    }
    #expect(woken.divergence == nil)
    let ordered = try await everySchedule(.schedules(300)) {
      let tasks: Set<Task<Void, Never>> = [Task {}, Task { await Task.yield() }, Task {}]
      for task in tasks { await task.value }
    }
    #expect(!ordered.isExhausted)
    #expect(ordered.divergence != nil)
  }

  @Test func `a task that outlives the body is reported`() async throws {
    let waiting = await failure { _ in
      Task(name: "waiter") { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
    #expect(waiting?.problem.contains("the body has ended") == true)
    #expect(waiting?.story.last == "left behind: “waiter” waits since step 2")
    let running = await failure { exploration in
      Task(name: "heartbeat") {
        while !Task.isCancelled { try? await exploration.clock.sleep(for: .seconds(1)) }
      }
    }
    #expect(running?.problem.contains("still runs") == true)
    #expect(running?.story.last == "endless: “heartbeat” ran last")
    // A task that ends by itself is not reported.
    let ending = try await everySchedule { exploration in
      Task { try? await exploration.clock.sleep(for: .seconds(1)) }
    }
    #expect(ending.isExhausted)
    let allowed = try await everySchedule(.schedules(10), assuming: .leftovers) { _ in
      Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
    #expect(allowed.assumptions.contains(.leftovers))
  }

  @Test func `a stuck program says which tasks wait, and in which actor`() async {
    let found = await failure { _ in
      let gate = Gate()
      async let one: Void = gate.wait()
      await one
    }
    #expect(
      found?.story.contains("stuck: task 1 of the body waits in Gate since step 3") == true,
      "\(String(describing: found))")
  }

  /// An early callback is seen in no other way.
  @Test func `work of other threads has one verdict`() async throws {
    @Sendable func body() async {
      await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
    }
    for _ in 0..<20 {
      #expect(await failure { _ in await body() }?.problem.contains("another thread") == true)
    }
    let log = Log<Int>()
    let assumed = try await everySchedule(assuming: .threads) { _ in
      DispatchQueue.global().async { log.append(1) }
    }
    #expect(assumed.isExhausted)
    #expect(assumed.assumptions.contains(.threads))
  }

  @Test func `a detached task knows its exploration`() async throws {
    try await everySchedule { exploration in
      let isKnown = await Task.detached { ScheduleContext.current === exploration }.value
      guard isKnown else { throw Wrong() }
    }
    #expect(ScheduleContext.current == nil)
  }

  @Test func `a helper passes its caller's place`() async {
    let found = await failure(line: 12) { _ in throw Wrong() }
    let other = await failure(line: 13) { _ in throw Wrong() }
    #expect(found?.file != nil && found?.file != other?.file)
    for file in [found?.file, other?.file] { file.map { _ = remove($0) } }
  }

  @Test func `a journal of a killed process goes, that of a crash stays`() async throws {
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    // No process has this number.
    let files = [0, 1].map { "\(folder)/VerdictTests.99999999.\($0).running" }
    for (file, mark) in zip(files, [UInt8(0), 1]) { try Data([10, mark]).write(to: URL(filePath: file)) }
    await #expect(processExitsWith: .success) { try await everySchedule {} }
    #expect(files.map { FileManager.default.fileExists(atPath: $0) } == [false, true])
    remove(files[1])
  }
}

private actor Cell {
  private(set) var value = 0
  func set(_ value: Int) { self.value = value }
  /// Runs the body in a task that starts here.
  func run(_ body: @escaping @Sendable () async -> Void) async {
    await Task {
      _ = self.value
      await body()
    }.value
  }
}

@MainActor private final class Model {
  private(set) var value = 0
  func add() async {
    let old = value
    await Task.yield()
    value = old + 1
  }
}

private actor Pair {
  private let log: Log<Int>
  init(_ log: Log<Int>) { self.log = log }
  func start(_ first: TaskPriority? = nil, _ second: TaskPriority? = nil) -> [Task<Void, Never>] {
    [Task(priority: first) { self.add(1) }, Task(priority: second) { self.add(2) }]
  }
  private func add(_ number: Int) { log.append(number) }
}

private actor Ordered {
  private let log: Log<Int>
  private let executor: SteppedExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  init(_ log: Log<Int>, _ executor: SteppedExecutor) { (self.log, self.executor) = (log, executor) }
  func start() -> [Task<Void, Never>] { [Task { self.add(1) }, Task { self.add(2) }] }
  private func add(_ number: Int) { log.append(number) }
}

/// Resumes its waiters in the order of a Dictionary.
private actor Gate {
  private var isOpen = false
  private var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting[UUID()] = $0 }
  }
  func open() {
    isOpen = true
    for one in waiting.values { one.resume() }
    waiting = [:]
  }
}
