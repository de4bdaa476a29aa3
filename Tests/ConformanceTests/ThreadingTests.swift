import RawThreads
import Testing
import UploadScenario
import UploadServices

extension Conformance {
  @Suite struct ThreadingTests {
    private static func ledger(_ fanOut: Int) -> Ledger {
      Ledger(requestCount: fanOut) { MonotonicClock.nanoseconds() }
    }

    @Test(arguments: Case.all)
    func aServiceThatAnswersInlineDoesNotDeepenTheStack(_ subject: Case) async {
      let fanOut = 20_000
      let ledger = Self.ledger(fanOut)
      await expectPublication(subject, fanOut: fanOut, ledger: ledger, service: InlineService(ledger: ledger))
    }

    @Test(arguments: Case.all.filter { $0.pattern == .publish && $0.limit == nil })
    func aHundredThousandUploadsAtOnceArrive(_ subject: Case) async {
      let fanOut = 100_000
      let ledger = Self.ledger(fanOut)
      let service = InstantService(ledger: ledger, faults: Faults())
      await expectPublication(subject, fanOut: fanOut, ledger: ledger, service: service)
    }

    private func expectPublication(
      _ subject: Case, fanOut: Int, ledger: Ledger, service: some UploadService
    ) async {
      let post = subject.post(fanOut: fanOut)
      let outcome = Outcome()
      let handle = subject.start(post, service, outcome)
      // A task group of Swift 6.3 looks through its children for each one that ends, which is quadratic when they end
      // out of order, as they do on a busy machine.
      await eventually("the completion is called", withinNanoseconds: 120_000_000_000) { outcome.count > 0 }
      let expectation = try! Expectation(scenario: subject.scenario(fanOut: fanOut), post: post)
      for result in outcome.all {
        #expect(expectation.differences(result: result, record: ledger.record()).prefix(3) == [])
      }
      #expect(outcome.count == 1)
      withExtendedLifetime(handle) {}
    }

    @Test(arguments: Case.all, [0, 1, 9, 19])
    func aFailureInlineStopsTheRest(_ subject: Case, _ failing: Int) async {
      guard failing < subject.requests(20) else { return }
      let scenario = subject.scenario(fanOut: 20, faults: Faults(failAt: failing))
      let post = subject.post(fanOut: 20)
      let ledger = Self.ledger(20)
      let outcome = Outcome()
      let handle = subject.start(post, InlineService(ledger: ledger, faults: scenario.faults), outcome)
      await eventually("the completion is called") { outcome.count > 0 }
      let expectation = try! Expectation(scenario: scenario, post: post)
      for result in outcome.all {
        #expect(expectation.differences(result: result, record: ledger.record()) == [])
      }
      if subject.width(20) == 1 {
        #expect(ledger.record().requests.count { $0.started > 0 } == failing + 1)
      }
      #expect(outcome.count == 1)
      withExtendedLifetime(handle) {}
    }

    /// Failures, cancellations and completions meet on four service threads and the test's own.
    @Test(arguments: Case.all)
    func everyPromiseIsKeptWhenThreadsRace(_ subject: Case) async {
      let fanOut = 24
      let post = subject.post(fanOut: fanOut)
      for round in 0..<60 {
        let faults =
          switch round % 3 {
          case 0: Faults()
          case 1: Faults(failureRate: 0.1, seed: UInt64(round))
          default: Faults(failAt: round % fanOut)
          }
        let ledger = Self.ledger(fanOut)
        let outcome = Outcome()
        let service = ParallelService(ledger: ledger, faults: faults)
        let scenario = subject.scenario(fanOut: fanOut, faults: faults)
        let handle = subject.contender.start(scenario, post: post, service: service) { result in
          ledger.close()
          outcome.add(result)
        }
        let isCancelling = round % 2 == 1
        if isCancelling { handle.cancel() }
        guard await eventually("the completion is called", { outcome.count > 0 }) else { return }
        await eventually("the service is quiet") { ledger.uploadsInFlight == 0 }
        var held = scenario
        // Whether the cancellation came first is open; whatever came must be a whole of its kind. A post that was
        // under way may have been created all the same.
        let isCancelled = isCancelling && outcome.isCancellation
        if isCancelled { held.cancelAfterNanoseconds = 0 }
        let differences = try! Expectation(scenario: held, post: post)
          .differences(result: outcome.all[0], record: ledger.record())
          .filter { !(isCancelled && $0.subject == "post") }
        #expect(differences == [], "round \(round)")
        #expect(outcome.count == 1)
      }
    }

    @Test(arguments: Case.all)
    func aThousandPostsAtOnceDoNotDisturbEachOther(_ subject: Case) async {
      let post = subject.post(fanOut: 3)
      let service = InstantService(ledger: Self.ledger(3), faults: Faults())
      let outcome = Outcome()
      var handles: [any Cancellable] = []
      for _ in 0..<1_000 { handles.append(subject.start(post, service, outcome)) }
      await eventually("all completions are called") { outcome.count == 1_000 }
      let expected = subject.publication(of: post)
      #expect(outcome.all.allSatisfy { (try? $0.get()) == expected })
      #expect(outcome.count == 1_000)
      withExtendedLifetime(handles) {}
    }

    @Test(arguments: Case.all)
    func aCompletionMayStartTheNextPost(_ subject: Case) async {
      let post = subject.post(fanOut: 2)
      let service = InstantService(ledger: Self.ledger(2), faults: Faults())
      let outcome = Outcome()
      let scenario = subject.scenario(fanOut: 2)
      let first = subject.contender.start(scenario, post: post, service: service) { result in
        outcome.add(result)
        _ = subject.contender.start(scenario, post: post, service: service) { outcome.add($0) }
      }
      await eventually("both completions are called") { outcome.count == 2 }
      #expect(outcome.all.allSatisfy { (try? $0.get()) != nil })
      withExtendedLifetime(first) {}
    }
  }
}
