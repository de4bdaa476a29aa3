import Foundation
import Results
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Harness

/// A workload that counts the reads of its timeout.
private struct Estimated: Workload {
  static let estimates = Mutex<[String: Int]>([:])

  var name: String
  var ownsProcess: Bool { name.hasSuffix("alone") }
  var fanOut: Int { 1 }
  func describe(_ sample: inout Sample) {}
  var timeoutSeconds: Int {
    Self.estimates.withLock { $0[name, default: 0] += 1 }
    return 50
  }
  var estimateCount: Int { Self.estimates.withLock { $0[name, default: 0] } }
}

@Suite(.ownThread) struct WorkerPoolTests {
  private typealias Samplers = FakeLauncher<SampleRequest<Estimated>>

  /// The parent computes nothing while a worker is timed: everything is known when the request is sent.
  @Test func `the timeout is estimated once per cell, before the request`() {
    let work = [Estimated(name: "first"), Estimated(name: "second")]
    var seen: [Int] = []
    let launcher = Samplers { _, request throws(WorkerFailure) in
      seen.append(request.scenario.estimateCount)
      return SampleReply(outcome: .measured, iterations: request.iterations)
    }
    let pool = WorkerPool(launcher.launch)
    for iterations in [1, 20, 300] {
      for work in work { _ = pool.ask("a", SampleRequest(scenario: work, iterations: iterations)) }
    }
    _ = pool.askFresh("a", SampleRequest(scenario: work[0], iterations: 1))
    #expect(seen == Array(repeating: 1, count: 7))
    #expect(work.map(\.estimateCount) == [1, 1])
    #expect(launcher.workers[0].worker.timeouts.map(\.seconds) == [50, 50, 52, 52, 80, 80])
  }

  @Test func `a given timeout needs no estimate`() {
    let work = Estimated(name: "given")
    let launcher = Samplers { _, _ in SampleReply(outcome: .measured, iterations: 1) }
    let pool = WorkerPool(launcher.launch)
    _ = pool.ask("a", SampleRequest(scenario: work, iterations: 1, timeoutNanoseconds: 7_000_000_000))
    _ = pool.ask(
      "a",
      SampleRequest(
        scenario: work, iterations: 1, purpose: .profile, timeoutNanoseconds: 7_000_000_000))
    #expect(work.estimateCount == 0)
    #expect(launcher.workers[0].worker.timeouts.map(\.seconds) == [27, 230])
  }

  @Test(arguments: [
    (WorkerFailure.died(how: "signal 11"), Outcome.failed), (.silent(seconds: 40), .timedOut),
    (.garbled(line: "hello"), .failed), (.cannotStart(reason: "gone"), .failed),
  ])
  func `a failed worker is stopped and replaced`(failure: WorkerFailure, outcome: Outcome) {
    let launcher = Samplers { _, request throws(WorkerFailure) in
      if request.iterations == 1 { throw failure }
      return SampleReply(outcome: .measured, iterations: request.iterations)
    }
    let pool = WorkerPool(launcher.launch)
    let work = Estimated(name: "failing")
    let reply = pool.ask("a", SampleRequest(scenario: work, iterations: 1))
    #expect(reply?.outcome == outcome)
    #expect(reply?.reason == failure.description)
    #expect(pool.ask("a", SampleRequest(scenario: work, iterations: 2))?.outcome == .measured)
    #expect(launcher.workers.map(\.worker.isStopped) == [true, false])
    pool.stop()
    #expect(launcher.workers.map(\.worker.isStopped) == [true, true])
  }

  @Test func `a worker that hangs is replaced and warms up again`() {
    let launcher = Samplers { _, request throws(WorkerFailure) in
      SampleReply(outcome: request.iterations == 1 ? .timedOut : .measured, iterations: 1)
    }
    let pool = WorkerPool(launcher.launch)
    let work = Estimated(name: "hanging")
    #expect(pool.isNew("a", work))
    #expect(!pool.isNew("a", work))
    _ = pool.ask("a", SampleRequest(scenario: Estimated(name: "hanging"), iterations: 1))
    #expect(launcher.workers.map(\.worker.isStopped) == [true])
    #expect(pool.isNew("a", work))
  }

  @Test func `work that owns its process has a worker of its own`() {
    let launcher = Samplers { _, request throws(WorkerFailure) in
      if request.scenario.name == "forking alone" {
        throw .misconduct("the contender has started a process, which is not allowed")
      }
      return SampleReply(outcome: .measured, iterations: 1)
    }
    let pool = WorkerPool(launcher.launch)
    let names = ["forking alone", "honest alone", "forking alone", "honest alone"]
    let outcomes = names.map {
      pool.ask("a", SampleRequest(scenario: Estimated(name: $0), iterations: 1))?.outcome
    }
    #expect(outcomes == [.wrong, .measured, .wrong, .measured])
    #expect(launcher.workers.map(\.contender) == ["a", "a"])
    #expect(launcher.workers.map(\.worker.answered) == [1, 2])
  }

  /// In a suite each benchmark has its own process; of contenders the sender of a signal is unknown.
  @Test(arguments: [("alone", Outcome.measured), ("together", .wrong)])
  func `a signal harms only the work that owns its process`(kind: String, outcome: Outcome) {
    var launcher: Samplers!
    launcher = Samplers { _, request throws(WorkerFailure) in
      guard request.scenario.name.hasPrefix("stopping") else {
        return SampleReply(outcome: .measured, iterations: 1)
      }
      launcher.workers.last!.worker.isSignalled = true
      throw .silent(seconds: 1)
    }
    let pool = WorkerPool(launcher.launch)
    func reply(_ name: String) -> SampleReply? {
      pool.ask("a", SampleRequest(scenario: Estimated(name: "\(name) \(kind)"), iterations: 1))
    }
    #expect(reply("stopping")?.outcome == .timedOut)
    #expect(reply("honest")?.outcome == outcome)
    #expect(reply("stopping")?.reason?.contains("stopped or continued by a signal") == true)
  }

  @Test func `an interrupt returns no reply`() {
    let launcher = Samplers { _, _ throws(WorkerFailure) in throw .interrupted }
    let request = SampleRequest(scenario: Estimated(name: "interrupted"), iterations: 1)
    #expect(WorkerPool(launcher.launch).ask("a", request) == nil)
    #expect(launcher.workers.count == 1)
    #expect(WorkerPool(launcher.launch, isInterrupted: { true }).ask("a", request) == nil)
    #expect(launcher.workers.count == 1)
  }

  /// Workers of older builds use these names.
  @Test func `requests keep the field names of older builds`() throws {
    var request = SampleRequest(
      scenario: Estimated(name: "a"), iterations: 3, purpose: .profile, timeoutNanoseconds: 9)
    let fields = try Definition.leaves(of: request)
    #expect(
      fields == ["scenario.name": "a", "iterations": "3", "purpose": "count", "patienceNanoseconds": "9"])
    request.purpose = .allocations
    #expect(try Definition.leaves(of: request)["purpose"] == "tally")
    let copy = try JSONDecoder().decode(SampleRequest<Estimated>.self, from: JSONEncoder().encode(request))
    #expect(copy == request)
  }

  @Test func `a contender that misbehaved gets no further request, the others do`() {
    var requested: [String] = []
    let launcher = Samplers { contender, _ throws(WorkerFailure) in
      requested.append(contender)
      if contender == "cheat" { throw .misconduct("it cheats") }
      return SampleReply(outcome: .measured, iterations: 1)
    }
    let pool = WorkerPool(launcher.launch)
    let request = SampleRequest(scenario: Estimated(name: "any"), iterations: 1)
    for _ in 0..<2 {
      #expect(pool.ask("cheat", request)?.reason == "it cheats")
      #expect(pool.ask("cheat", request)?.outcome == .wrong)
      #expect(pool.ask("other", request)?.outcome == .measured)
    }
    #expect(requested == ["cheat", "other", "other"])
  }
}
