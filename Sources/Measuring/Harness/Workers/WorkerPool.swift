import Foundation
import RawThreads
import Results
import Synchronization

/// What the parent asks of a worker: one line of JSON on the worker's standard input.
package protocol WorkerRequest: Codable, Hashable, Sendable {
  associatedtype Work: Workload
  associatedtype Reply: WorkerReply

  var scenario: Work { get }
  /// How long the parent waits for the reply, where the work's own timeout is known.
  func timeout(workSeconds: @autoclosure () -> Int) -> WorkerTimeout
}

/// What a worker answers: one line of JSON on its standard output.
package protocol WorkerReply: Codable, Sendable {
  /// Whether what was measured can be ranked.
  var outcome: Outcome { get set }
  /// Why it cannot be ranked; nil if it was measured.
  var reason: String? { get set }
  /// Of a request that could not be served.
  init(outcome: Outcome, reason: String?)
  /// Whether each number can have been measured, since sums of them are taken.
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

/// A worker as the parent sees it. Tests put fakes here.
package protocol WorkerHandle<Request>: AnyObject {
  associatedtype Request: WorkerRequest

  /// Sends the request and returns the reply. The timeout comes with it: nothing is computed while the worker is timed.
  func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply
  /// Ends the worker, whatever it is doing.
  func stop()
  /// What its process has used of the processors since it started; nil where nobody knows.
  var processorNanoseconds: UInt64? { get }
  /// Whether a signal has stopped it or let it go on since it was asked last.
  func wasStopped() -> Bool
  /// Whether it has started processes that are there.
  func hasDescendants() -> Bool
}

extension WorkerHandle {
  package var processorNanoseconds: UInt64? { nil }
  package func wasStopped() -> Bool { false }
  package func hasDescendants() -> Bool { false }
}

/// Starts a fresh worker for a contender, whose first work this is, and returns; whether it can do anything is known with its first reply.
package typealias WorkerLauncher<Request: WorkerRequest> = (
  _ contender: String, _ work: Request.Work
) throws(WorkerFailure) -> any WorkerHandle<Request>

/// Why a worker gave no reply. A worker that failed is ended and replaced.
package enum WorkerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  case cannotStart(reason: String)
  /// The process ended by itself; `how` says with which status or signal, and what it said of an error.
  case died(how: String)
  /// It gave no answer for so long, and was ended.
  case silent(seconds: Int)
  /// The same, while other processes had the processors: that says nothing of it.
  case starved(seconds: Int)
  case garbled(line: String)
  /// What it says or does is no contender's to say or do: nothing that it measures counts.
  case misconduct(String)
  /// The user ended the run while the sample was being taken.
  case interrupted

  package static let starvation = "other processes had the processors most of that time"

  package var description: String {
    switch self {
    case .cannotStart(let reason): "its worker could not be started: \(reason)"
    case .died(let how): "its worker died: \(how)"
    case .silent(let seconds): "its worker gave no answer within \(seconds) s and was ended"
    case .starved(let seconds): "its worker gave no answer within \(seconds) s: \(Self.starvation)"
    case .garbled(let line):
      "its worker answered something else than a sample: \(SafeText.excerpt(line))"
    case .misconduct(let what): what
    case .interrupted: "the run was interrupted"
    }
  }
}

/// The workers of a run, at most one for each contender, or for each piece of work that owns its process: started when first
/// asked, ended when they fail or hang, and then replaced. For one thread.
package final class WorkerPool<Request: WorkerRequest> {
  private let launch: WorkerLauncher<Request>
  private let isInterrupted: () -> Bool
  private var workers: [String: any WorkerHandle<Request>] = [:]
  /// The scenarios that a contender's present worker has met.
  private var warm: [String: Set<String>] = [:]
  /// By the scenario's name: an estimate that may have to make up a whole post is made once.
  private var workSeconds: [String: Int] = [:]
  /// Whoever did what no contender may do, and what that was: none of them is asked any more.
  private var barred: [String: String] = [:]
  /// The same of one of all, if nobody knows which.
  private var allBarred: String?
  private var knownSuspensions = Suspensions.count
  private var forgivenUntil: UInt64 = 0

  /// - Parameter isInterrupted: asked before each request.
  package init(_ launch: @escaping WorkerLauncher<Request>, isInterrupted: @escaping () -> Bool = { false }) {
    self.launch = launch
    self.isInterrupted = isInterrupted
  }

  deinit { stop() }

  /// The reply of a contender's worker, or what there is to say instead if it gave none; nil if the user ended the run.
  package func ask(_ contender: String, _ request: Request) -> Request.Reply? {
    if isInterrupted() { return nil }
    let place = place(of: contender, request.scenario)
    if let reason = misconduct(in: place) { return Request.Reply(outcome: .wrong, reason: reason) }
    let timeout = request.timeout(workSeconds: workSeconds(of: request.scenario))
    do throws(WorkerFailure) {
      let reply = try worker(of: contender, for: request.scenario).run(request, timeout: timeout)
      // What hangs is still running: the next request needs a fresh process.
      lookForSignals(while: place, request.scenario)
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

  /// The same of a fresh process, which then ends; the contender's worker stays as it is.
  func askFresh(_ contender: String, _ request: Request) -> Request.Reply? {
    let place = place(of: contender, request.scenario)
    let (worker, scenarios) = (workers.removeValue(forKey: place), warm[place])
    let before = Suspensions.count
    defer {
      end(place)
      // Then it was stopped as everybody was: that is not asked again.
      if Suspensions.count != before { _ = worker?.wasStopped() }
      (workers[place], warm[place]) = (worker, scenarios)
    }
    return ask(contender, request)
  }

  /// Why nothing of a contender counts any more; nil if it does.
  func misconduct(of contender: String, in scenario: Request.Work) -> String? {
    misconduct(in: place(of: contender, scenario))
  }

  private func misconduct(in place: String) -> String? { allBarred ?? barred[place] }

  /// What names the worker that does a contender's work in a scenario: its own, or that for this work alone.
  private func place(of contender: String, _ scenario: Request.Work) -> String {
    scenario.ownsProcess ? "\(contender) in \(scenario.name)" : contender
  }

  /// Bars those who have started processes that are there, wherever these went. Takes some milliseconds.
  func lookForDescendants() {
    for (place, worker) in workers where barred[place] == nil && worker.hasDescendants() {
      barred[place] = "it has started a process"
      end(place)
    }
  }

  /// Who sent a signal to a worker the system does not say; the run itself sends none to workers that it keeps.
  private func lookForSignals(while busy: String, _ work: Request.Work) {
    let stopped = workers.filter { $0.value.wasStopped() }.keys.sorted()
    // A machine, or a job, that is suspended stops this process, too; who is let go on, and when, then takes a moment to be known.
    let (suspensions, now) = (Suspensions.count, MonotonicClock.nanoseconds())
    if suspensions != knownSuspensions {
      (knownSuspensions, forgivenUntil) = (suspensions, now + 2_000_000_000)
    }
    guard let contender = stopped.first, now > forgivenUntil else { return }
    if work.ownsProcess, stopped == [busy] {
      // Nobody else has lost by it.
      barred[busy] = "its worker was stopped or let go on by a signal"
    } else {
      allBarred =
        "the worker of \(contender) was stopped or let go on by a signal while \(busy)'s was at work, and nobody knows by whom: no contender is ranked"
    }
  }

  /// Starts a contender's worker ahead of its first request. A failure is not reported here: the request meets it again.
  func prepare(_ contender: String, for scenario: Request.Work) {
    _ = try? worker(of: contender, for: scenario)
  }

  /// Whether the cell's scenario is new to the contender's worker; from now on it is not.
  func isNew(_ contender: String, _ scenario: Request.Work) -> Bool {
    warm[place(of: contender, scenario), default: []].insert(scenario.name).inserted
  }

  /// What the workers that there are have used of the processors; nil unless it is known of each.
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

  package func stop() {
    for place in Array(workers.keys) { end(place) }
  }

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

/// How often this process was stopped and let go on, as when its machine or its job is suspended.
enum Suspensions {
  /// Counts from the first look on.
  static var count: Int {
    _ = isWatching
    return seen.load(ordering: .relaxed)
  }

  private static let isWatching: Bool = {
    // Made before a signal can ask for it.
    seen.store(0, ordering: .relaxed)
    signal(SIGCONT) { _ in seen.add(1, ordering: .relaxed) }
    return true
  }()
}

private let seen = Atomic<Int>(0)
