import Foundation
import RawThreads
import Results
import Synchronization

/// A request to a worker, sent as one line of JSON to its standard input.
package protocol WorkerRequest: Codable, Hashable, Sendable {
  associatedtype Work: Workload
  associatedtype Reply: WorkerReply

  var scenario: Work { get }
  /// How long the parent process waits for the reply. `workSeconds` is the timeout of the work alone.
  func timeout(workSeconds: @autoclosure () -> Int) -> WorkerTimeout
}

/// A worker's reply, sent as one line of JSON on its standard output.
package protocol WorkerReply: Codable, Sendable {
  var outcome: Outcome { get set }
  /// Why nothing was measured; `nil` if it was.
  var reason: String? { get set }
  init(outcome: Outcome, reason: String?)
  /// Whether each number is so small that sums cannot overflow.
  var isPlausible: Bool { get }
}

extension WorkerReply {
  package var isPlausible: Bool { true }

  mutating func fail(_ outcome: Outcome, _ reason: String) {
    guard self.outcome == .measured else { return }
    self.outcome = outcome
    self.reason = reason
  }
}

/// A worker process, as its parent sees it. Tests inject fakes.
package protocol WorkerHandle<Request>: AnyObject {
  associatedtype Request: WorkerRequest

  func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply
  func stop()
  var processorNanoseconds: UInt64? { get }
  /// Whether a signal has stopped or continued the worker since the last call.
  func wasStopped() -> Bool
  /// Whether processes that the worker started are still running.
  func hasDescendants() -> Bool
}

extension WorkerHandle {
  package var processorNanoseconds: UInt64? { nil }
  package func wasStopped() -> Bool { false }
  package func hasDescendants() -> Bool { false }
}

/// Starts a worker process for a contender; `work` will be its first. Only the first reply shows whether the process runs.
package typealias WorkerLauncher<Request: WorkerRequest> = (
  _ contender: String, _ work: Request.Work
) throws(WorkerFailure) -> any WorkerHandle<Request>

/// Why a worker process gave no usable reply. The process is then killed and replaced.
package enum WorkerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  case cannotStart(reason: String)
  /// `how` is the exit status or signal, with an excerpt of standard error.
  case died(how: String)
  case silent(seconds: Int)
  /// The worker did not answer in time because other processes had the processors.
  case starved(seconds: Int)
  case garbled(line: String)
  /// The contender broke a rule, so none of its samples are used.
  case misconduct(String)
  case interrupted

  package static let starvation = "other processes had the processors most of that time"

  package var description: String {
    switch self {
    case .cannotStart(let reason): "the worker process could not be started: \(reason)"
    case .died(let how): "the worker process died: \(how)"
    case .silent(let seconds): "the worker process gave no answer within \(seconds) s and was killed"
    case .starved(let seconds): "the worker process gave no answer within \(seconds) s: \(Self.starvation)"
    case .garbled(let line): "the worker process's answer is not a sample: \(SafeText.excerpt(line))"
    case .misconduct(let what): what
    case .interrupted: "the run was interrupted"
    }
  }
}

/// The worker processes of a run: one for each contender, and one more for each work that needs its own. Each starts at its
/// first request, and is killed and replaced if it fails or hangs. Not thread-safe.
package final class WorkerPool<Request: WorkerRequest> {
  private let launch: WorkerLauncher<Request>
  private let isInterrupted: () -> Bool
  private var workers: [String: any WorkerHandle<Request>] = [:]
  /// The scenarios that each worker has already run.
  private var warm: [String: Set<String>] = [:]
  /// The timeouts by scenario name, since computing one may take as long as a whole post.
  private var workSeconds: [String: Int] = [:]
  /// For each worker that broke a rule: that rule. Such a worker gets no more requests.
  private var barred: [String: String] = [:]
  /// The rule that an unknown contender broke, if any. Then no worker gets more requests.
  private var allBarred: String?
  private var knownSuspensions = Suspensions.count
  private var forgivenUntil: UInt64 = 0

  /// - Parameter isInterrupted: called before each request. Returns whether the user ended the run.
  package init(_ launch: @escaping WorkerLauncher<Request>, isInterrupted: @escaping () -> Bool = { false }) {
    self.launch = launch
    self.isInterrupted = isInterrupted
  }

  deinit { stop() }

  /// The reply of a contender's worker, or one that says why there is none. `nil` if the user ended the run.
  package func ask(_ contender: String, _ request: Request) -> Request.Reply? {
    if isInterrupted() { return nil }
    let place = place(of: contender, request.scenario)
    if let reason = misconduct(in: place) { return Request.Reply(outcome: .wrong, reason: reason) }
    let timeout = request.timeout(workSeconds: workSeconds(of: request.scenario))
    do throws(WorkerFailure) {
      let reply = try worker(of: contender, for: request.scenario).run(request, timeout: timeout)
      lookForSignals(while: place, request.scenario)
      // A hung contender is still running, so the next request needs a new process.
      if reply.outcome == .timedOut { end(place) }
      return misconduct(in: place).map { Request.Reply(outcome: .wrong, reason: $0) } ?? reply
    } catch {
      lookForSignals(while: place, request.scenario)
      end(place)
      switch error {
      case .misconduct(let what):
        barred[place] = what
        return Request.Reply(outcome: .wrong, reason: what)
      case .interrupted: return nil
      case .silent, .starved:
        return Request.Reply(outcome: .timedOut, reason: barred[place] ?? error.description)
      default: return Request.Reply(outcome: .failed, reason: error.description)
      }
    }
  }

  /// Sends a request to a process that is started for this request only.
  func askFresh(_ contender: String, _ request: Request) -> Request.Reply? {
    let place = place(of: contender, request.scenario)
    let (worker, scenarios) = (workers.removeValue(forKey: place), warm[place])
    let before = Suspensions.count
    defer {
      end(place)
      // If the whole machine was suspended, so was the current worker, which breaks no rule.
      if Suspensions.count != before { _ = worker?.wasStopped() }
      (workers[place], warm[place]) = (worker, scenarios)
    }
    return ask(contender, request)
  }

  func misconduct(of contender: String, in scenario: Request.Work) -> String? {
    misconduct(in: place(of: contender, scenario))
  }

  private func misconduct(in place: String) -> String? { allBarred ?? barred[place] }

  private func place(of contender: String, _ scenario: Request.Work) -> String {
    scenario.ownsProcess ? "\(contender) in \(scenario.name)" : contender
  }

  /// Ends workers that have started processes. Takes a few milliseconds.
  func lookForDescendants() {
    for (place, worker) in workers where barred[place] == nil && worker.hasDescendants() {
      barred[place] = "the contender has started a process, which is not allowed"
      end(place)
    }
  }

  /// Rejects results if a signal from an unknown sender has stopped or continued a worker. The harness sends no such signals.
  private func lookForSignals(while busy: String, _ work: Request.Work) {
    let stopped = workers.filter { $0.value.wasStopped() }.keys.sorted()
    // Signals do not count for two seconds after the machine or the shell job was suspended, which also stops this process.
    let (suspensions, now) = (Suspensions.count, MonotonicClock.nanoseconds())
    if suspensions != knownSuspensions {
      (knownSuspensions, forgivenUntil) = (suspensions, now + 2_000_000_000)
    }
    guard let contender = stopped.first, now > forgivenUntil else { return }
    if work.ownsProcess, stopped == [busy] {
      barred[busy] = "the worker process was stopped or continued by a signal"
    } else {
      allBarred =
        "the worker of \(contender) was stopped or continued by a signal from an unknown sender while that of \(busy) was running: no contender is ranked"
    }
  }

  /// Starts a contender's worker ahead of its first request, which reports a failed start.
  func prepare(_ contender: String, for scenario: Request.Work) {
    _ = try? worker(of: contender, for: scenario)
  }

  /// Whether the contender's worker has not run the scenario yet. Later calls return false.
  func isNew(_ contender: String, _ scenario: Request.Work) -> Bool {
    warm[place(of: contender, scenario), default: []].insert(scenario.name).inserted
  }

  /// The total CPU time of all current workers; `nil` if that of one is unknown.
  var processorNanoseconds: UInt64? {
    var sum: UInt64 = 0
    for worker in workers.values {
      guard let used = worker.processorNanoseconds else { return nil }
      sum += used
    }
    return sum
  }

  func end(_ contender: String, _ scenario: Request.Work) { end(place(of: contender, scenario)) }

  private func end(_ place: String) {
    workers.removeValue(forKey: place)?.stop()
    warm[place] = nil
  }

  package func stop() { for place in Array(workers.keys) { end(place) } }

  private func worker(of contender: String, for work: Request.Work) throws(WorkerFailure)
    -> any WorkerHandle<Request>
  {
    let place = place(of: contender, work)
    if let worker = workers[place] { return worker }
    let worker = try launch(contender, work)
    workers[place] = worker
    return worker
  }

  private func workSeconds(of scenario: Request.Work) -> Int {
    let seconds = workSeconds[scenario.name] ?? scenario.timeoutSeconds
    workSeconds[scenario.name] = seconds
    return seconds
  }
}

/// Counts how often this process was stopped and continued, for example because the machine was suspended.
enum Suspensions {
  /// How often this process was stopped and continued since the first access to `count`.
  static var count: Int {
    _ = isWatching
    return seen.load(ordering: .relaxed)
  }

  private static let isWatching: Bool = {
    // This first access initialises the counter before a signal handler uses it.
    seen.store(0, ordering: .relaxed)
    signal(SIGCONT) { _ in seen.add(1, ordering: .relaxed) }
    return true
  }()
}

private let seen = Atomic<Int>(0)
