import Synchronization

/// An operation of a type under test, with its arguments and its effect on a sequential model of the type.
public struct HistoryOperation<Subject: Sendable, Model: Sendable>: Sendable {
  fileprivate struct Call: Sendable {
    let name: String
    let run: @Sendable (Subject) async -> String
    let model: @Sendable (inout Model) -> String?
  }

  fileprivate let calls: [Call]

  /// Creates an operation with arguments. Descriptions of results and of thrown errors decide whether these are equal.
  ///
  /// - Parameters:
  ///   - name: the operation's name in failures.
  ///   - arguments: the possible arguments. Give only a few, so that concurrent calls often use the same one.
  ///   - run: calls the operation on an instance of the type.
  ///   - model: applies the operation to the model. It returns `nil` if the operation must wait until the model changes.
  public init<Argument: Sendable, Result>(
    _ name: String, _ arguments: [Argument],
    run: @escaping @Sendable (Subject, Argument) async throws -> Result,
    model: @escaping @Sendable (inout Model, Argument) throws -> Result?
  ) {
    calls = arguments.map { argument in
      Call(name: "\(name)(\(argument is Void ? "" : "\(argument)"))") { subject in
        do { return "\(try await run(subject, argument))" } catch { return "throws \(error)" }
      } model: { state in
        do { return try model(&state, argument).map { "\($0)" } } catch { return "throws \(error)" }
      }
    }
  }

  /// Creates an operation without arguments.
  public init<Result>(
    _ name: String, run: @escaping @Sendable (Subject) async throws -> Result,
    model: @escaping @Sendable (inout Model) throws -> Result?
  ) {
    self.init(name, [()]) { subject, _ in
      try await run(subject)
    } model: { state, _ in
      try model(&state)
    }
  }
}

extension HistoryOperation where Model == Void {
  /// Creates an operation. Its model is another instance of the type, which a single task calls.
  public init<Argument: Sendable, Result>(
    _ name: String, _ arguments: [Argument],
    run: @escaping @Sendable (Subject, Argument) async throws -> Result
  ) {
    self.init(name, arguments, run: run) { _, _ in nil }
  }
}

/// Checks that a type is linearizable (Herlihy and Wing, TOPLAS 1990). Runs small random programs of concurrent calls under
/// every interleaving, or as many as the budget allows.
///
/// Throws a `HistoryFailure` for the first results that no sequential order of the calls gives. In such an order, a call that
/// ended before another call began must precede it.
///
/// - Parameters:
///   - model: the initial state of the model, which must be a value type. Operations change it.
///   - operations: the operations to call.
///   - budget: the budget for all programs together.
///   - assumptions: conditions that the check relies on but does not verify.
///   - seed: the seed from which programs are generated.
///   - history: a program and an interleaving to replay, in the form that a failure prints. No other program runs.
///   - subject: makes a new instance for each run of a program.
///   - fileID: the file that a failure names.
///   - line: the line that a failure names.
@discardableResult
public func everyHistory<Subject: Sendable, Model: Sendable>(
  model: Model, _ operations: [HistoryOperation<Subject, Model>], budget: ScheduleBudget = .standard,
  assuming assumptions: ScheduleAssumptions = [], seed: UInt64 = 1, following history: String? = nil,
  fileID: String = #fileID, line: Int = #line, of subject: @escaping @Sendable (ScheduleContext) -> Subject
) async throws -> HistoryReport {
  let calls = operations.flatMap(\.calls)
  return try await HistoryExplorer(
    calls, budget, assumptions, seed: seed, place: "\(fileID):\(line)", subject
  ) { program, _ in HistoryExplorer.orders(of: program, model) { calls[$1].model(&$0) } }
  .explore(following: history)
}

/// Checks that a type is linearizable, like the other overload. The model is another instance, which a single task calls.
@discardableResult
public func everyHistory<Subject: Sendable>(
  _ operations: [HistoryOperation<Subject, Void>], budget: ScheduleBudget = .standard,
  assuming assumptions: ScheduleAssumptions = [], seed: UInt64 = 1, following history: String? = nil,
  fileID: String = #fileID, line: Int = #line, of subject: @escaping @Sendable (ScheduleContext) -> Subject
) async throws -> HistoryReport {
  try await HistoryExplorer(
    operations.flatMap(\.calls), budget, assumptions, seed: seed, place: "\(fileID):\(line)", subject
  ) { program, start in
    HistoryExplorer.orders(of: program, ()) { _, _ in "" }.map { order in
      let results = Mutex<[String?]>(order.results.map { _ in nil })
      let run = BodyRun(
        { exploration in
          let call = start(exploration)
          for index in order.calls {
            let result = await call(program.calls[index])
            results.withLock { $0[index] = result }
          }
        }, budget)
      _ = run.run(following: [])
      return HistoryOrder(calls: order.calls, results: results.withLock(\.self))
    }
  }
  .explore(following: history)
}

struct HistoryProgram: Hashable, Sendable {
  var tasks: [[Int]]

  var calls: [Int] { tasks.flatMap(\.self) }

  func removing(_ index: Int) -> HistoryProgram {
    var (tasks, left) = (tasks, index)
    for task in tasks.indices {
      if left < tasks[task].count {
        tasks[task].remove(at: left)
        break
      }
      left -= tasks[task].count
    }
    return HistoryProgram(tasks: tasks.filter { !$0.isEmpty })
  }
}

/// A sequential order of a program's calls. A call that waits forever has no result and is not in the order.
struct HistoryOrder: Sendable {
  var calls: [Int]
  var results: [String?]
}

private final class HistoryRecord: Sendable {
  struct State {
    var time = 0
    var begins: [Int]
    var ends: [Int]
    var results: [String?]
  }
  let state: Mutex<State>

  init(count: Int) {
    state = Mutex(
      State(
        begins: Array(repeating: .max, count: count), ends: Array(repeating: .max, count: count),
        results: Array(repeating: nil, count: count)))
  }

  func began(_ call: Int) {
    state.withLock {
      $0.time += 1
      $0.begins[call] = $0.time
    }
  }

  func ended(_ call: Int, _ result: String) {
    state.withLock {
      $0.time += 1
      ($0.ends[call], $0.results[call]) = ($0.time, result)
    }
  }

  /// Whether the calls had the results of this order, and each call comes after all calls that ended before it began.
  func fits(_ order: HistoryOrder) -> Bool {
    state.withLock { state in
      guard state.results == order.results else { return false }
      var latest = 0
      for call in order.calls {
        if state.ends[call] < latest { return false }
        latest = max(latest, state.begins[call])
      }
      return true
    }
  }
}

struct HistoryExplorer: Sendable {
  typealias Start = @Sendable (ScheduleContext) -> @Sendable (Int) async -> String

  let names: [String]
  let budget: ScheduleBudget
  let assumptions: ScheduleAssumptions
  let seed: UInt64
  let place: String
  let start: Start
  let orders: @Sendable (HistoryProgram) -> [HistoryOrder]

  fileprivate init<Subject, Model>(
    _ calls: [HistoryOperation<Subject, Model>.Call], _ budget: ScheduleBudget,
    _ assumptions: ScheduleAssumptions, seed: UInt64, place: String,
    _ subject: @escaping @Sendable (ScheduleContext) -> Subject,
    _ orders: @escaping @Sendable (HistoryProgram, @escaping Start) -> [HistoryOrder]
  ) {
    names = calls.map(\.name)
    (self.budget, self.assumptions, self.seed, self.place) = (budget, assumptions, seed, place)
    let start: Start = { exploration in
      let subject = subject(exploration)
      return { await calls[$0].run(subject) }
    }
    self.start = start
    self.orders = { orders($0, start) }
  }

  static let notLinearizable = "no sequential order of the calls gives these results"
  /// The sizes of programs: the number of tasks, and of calls in each task. Small programs come first.
  private static let sizes = [(2, 1), (2, 2), (3, 1), (2, 3), (3, 2)]
  private static let programsOfASize = 12

  static func orders<Model>(
    of program: HistoryProgram, _ model: Model, _ apply: (inout Model, Int) -> String?
  )
    -> [HistoryOrder]
  {
    let calls = program.calls
    var found: [HistoryOrder] = []
    func extend(_ order: HistoryOrder, _ next: [Int], _ model: Model) {
      var (first, isEnd) = (0, true)
      for task in program.tasks.indices {
        let index = first + next[task]
        first += program.tasks[task].count
        guard next[task] < program.tasks[task].count else { continue }
        var (order, next, model) = (order, next, model)
        guard let result = apply(&model, calls[index]) else { continue }
        isEnd = false
        order.calls.append(index)
        order.results[index] = result
        next[task] += 1
        extend(order, next, model)
      }
      if isEnd { found.append(order) }
    }
    extend(HistoryOrder(calls: [], results: calls.map { _ in nil }), program.tasks.map { _ in 0 }, model)
    return found
  }

  func explore(following history: String?) async throws -> HistoryReport {
    try await onOwnThread { answer in
      Result {
        if let history {
          let parts = history.split(separator: ";", omittingEmptySubsequences: false)
          let program = HistoryProgram(tasks: parts[0].split(separator: "|").map { ScheduleFile.choices($0) })
          let choices = parts.count > 1 ? ScheduleFile.choices(parts[1]) : []
          if let failure = failure(of: program, following: choices) { throw failure }
          return HistoryReport(programs: 1, schedules: 1)
        }
        return try all(answer)
      }
    }
  }

  private func all(_ answer: @escaping @Sendable (Result<HistoryReport, any Error>) -> Void) throws
    -> HistoryReport
  {
    var (report, tried) = (HistoryReport(), Set<HistoryProgram>())
    var generator = Generator(state: seed)
    let clock = ContinuousClock()
    let end = clock.now + budget.time
    let programs = Self.sizes.count * Self.programsOfASize
    for number in 0..<programs {
      let (tasks, calls) = Self.sizes[number / Self.programsOfASize]
      let drawn = HistoryProgram(
        tasks: (0..<tasks).map { _ in (0..<calls).map { _ in Int(generator.next() % UInt64(names.count)) } }
          .sorted { $0.lexicographicallyPrecedes($1) })
      guard tried.insert(drawn).inserted else { continue }
      let left = end - clock.now
      guard left > .zero, report.schedules < budget.schedules else { break }
      var share = budget
      share.time = left / (programs - number)
      share.schedules = budget.schedules - report.schedules
      let outcome = explore(drawn, share, answer)
      if var failure = outcome.failure {
        var index = 0
        while index < failure.program.calls.count {
          let smaller = explore(failure.program.removing(index), share, answer)
          if let found = smaller.failure { failure = found } else { index += 1 }
        }
        throw failure
      }
      report.programs += 1
      report.schedules += outcome.report.schedules
      report.assumptions.formUnion(outcome.report.assumptions)
      if outcome.report.isExhausted { report.exhausted += 1 }
    }
    return report
  }

  private func run(_ program: HistoryProgram, _ budget: ScheduleBudget) -> (
    BodyRun, @Sendable () -> [String?]
  ) {
    let orders = orders(program)
    // The record of the current run, and the results of the last run that failed.
    let latest = Mutex((record: HistoryRecord(count: 0), results: [String?]()))
    let run = BodyRun(
      { exploration in
        let now = HistoryRecord(count: program.calls.count)
        latest.withLock { $0 = (now, []) }
        let call = start(exploration)
        await withTaskGroup(of: Void.self) { group in
          var first = 0
          for (number, calls) in program.tasks.enumerated() {
            let place = first
            first += calls.count
            group.addTask(name: "task \(number + 1)") {
              for (offset, index) in calls.enumerated() {
                now.began(place + offset)
                exploration.note("\(names[index]) begins")
                let result = await call(index)
                now.ended(place + offset, result)
                exploration.note("\(names[index]) returns \(result)")
              }
            }
          }
        }
      }, budget, assuming: assumptions, seed: seed, place: place
    ) { problem in
      guard problem == nil || problem == BodyRun.stuck else { return problem }
      return latest.withLock { state in
        guard !orders.contains(where: state.record.fits) else { return nil }
        state.results = state.record.state.withLock(\.results)
        return problem ?? Self.notLinearizable
      }
    }
    return (run, { latest.withLock(\.results) })
  }

  private func explore(
    _ program: HistoryProgram, _ budget: ScheduleBudget,
    _ answer: @escaping @Sendable (Result<HistoryReport, any Error>) -> Void
  ) -> (report: ScheduleReport, failure: HistoryFailure?) {
    let (run, results) = run(program, budget)
    @Sendable func failure(_ found: ScheduleFailure) -> HistoryFailure {
      HistoryFailure(program: program, names: names, results: results(), failure: found, seed: seed)
    }
    do {
      return (try run.watched(Story(), { answer(.failure(failure($0))) }) { try run.all($0) }, nil)
    } catch let found as ScheduleFailure {
      return (ScheduleReport(), failure(found))
    } catch { preconditionFailure("\(error)") }
  }

  private func failure(of program: HistoryProgram, following choices: [Int]) -> HistoryFailure? {
    guard program.calls.allSatisfy(names.indices.contains) else { return nil }
    let (run, results) = run(program, budget)
    let outcome = run.run(following: choices)
    guard let problem = outcome.problem else { return nil }
    let found = ScheduleFailure(problem, outcome.choices, outcome.story, schedules: 1)
    return HistoryFailure(program: program, names: names, results: results(), failure: found, seed: seed)
  }
}

/// The number of programs and interleavings that `everyHistory` tried.
public struct HistoryReport: Sendable, Hashable, CustomStringConvertible {
  /// The number of programs. A program is a few tasks that call operations concurrently.
  public var programs = 0
  /// The number of programs whose interleavings were all tried.
  public var exhausted = 0
  /// The number of interleavings, over all programs.
  public var schedules = 0
  /// The conditions that the check relied on.
  public var assumptions: ScheduleAssumptions = []

  public var description: String {
    let rest = assumptions.isEmpty ? "" : "; assuming that \(assumptions)"
    return
      "\(programs) programs, \(exhausted) of them with all schedules of suspension points; \(schedules) schedules in total\(rest)"
  }
}

/// A program whose results no sequential order of its calls gives.
public struct HistoryFailure: Error, CustomStringConvertible {
  let program: HistoryProgram
  let names: [String]
  let results: [String?]
  /// The interleaving in which the program failed.
  public let failure: ScheduleFailure
  /// The seed from which the program was generated.
  public let seed: UInt64

  /// The program and the interleaving as text. To replay the failure, pass the text as `following:`.
  public var history: String {
    let tasks = program.tasks.map { $0.map(String.init).joined(separator: " ") }.joined(separator: " | ")
    return "\(tasks); \(failure.choices.map(String.init).joined(separator: " "))"
  }

  /// The calls of each task, with their results.
  public var calls: [String] {
    var index = 0
    return program.tasks.map { calls in
      calls.map { call in
        defer { index += 1 }
        return "\(names[call]) → \(results[index] ?? "waits")"
      }.joined(separator: ", ")
    }
  }

  public var description: String {
    let tasks = calls.enumerated().map { "  task \($0.offset + 1): \($0.element)\n" }.joined()
    return "\(failure.problem):\n\(tasks)\(failure.description)\nof the history \"\(history)\", seed \(seed)"
  }
}
