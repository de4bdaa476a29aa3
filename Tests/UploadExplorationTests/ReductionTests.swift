import Conformance
import CoroutineUploads
import Coroutines
import Exploration
import TestSupport
import Testing
import UploadScenario

@testable import UploadExploration

/// Reduction skips only schedules that differ in the order of independent steps, or continue from a known state.
@Suite(.ownThread(minutes: 20)) struct ReductionTests {
  private static let jobs: [(contender: String, pattern: Pattern)] = [
    ("coroutines", .sequence), ("coroutines", .zipSerial), ("coroutines", .publish), ("coroutines", .race),
    ("coroutines", .resilient), ("coroutines", .presigned), ("coroutines", .stream),
    ("coroutines", .blocking),
    ("swift-concurrency", .sequence), ("swift-concurrency", .zipSerial), ("swift-concurrency", .publish),
    ("swift-concurrency", .race), ("swift-concurrency", .presigned),
    ("swift-concurrency/loose-tasks", .publish), ("swift-concurrency/async-stream", .publish),
    ("swift-concurrency/actor", .publish),
  ]

  /// Plain enumeration of these does not finish even one media file in 5,000 schedules: there is nothing to compare with.
  private static let long: [(contender: String, pattern: Pattern)] = [
    ("swift-concurrency", .resilient), ("swift-concurrency", .stream), ("swift-concurrency/async-let", .zip),
  ]

  /// Fails with the times at which its three sleepers wake.
  private struct Sleepers: PartialContender {
    struct Woken: Error { let times: [UInt64] }
    let name = "sleepers"
    let summary = "three sleepers"
    let patterns = [Pattern.publish]
    let steps: CoroutineSteps

    func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
      -> any Cancellable
    {
      let job = Coroutine.start(on: steps) { [steps] () -> Publication in
        let start = steps.timer.now
        throw Woken(
          times: try CoGroup.run(on: steps) { group in
            try group.map([5, 5, 1]) { milliseconds in
              try Coroutine.delay(.milliseconds(milliseconds), on: steps.timer)
              return (steps.timer.now - start).unsignedNanoseconds
            }
          })
      }
      job.whenComplete(completion)
      return job
    }
  }

  /// Only the clock shows which of two tasks sleeps longer.
  @Test func `a state includes until when each task sleeps`() throws {
    let subject = Explorer.Subject(name: "sleepers", patterns: [.publish]) {
      let steps = CoroutineSteps()
      return (Sleepers(steps: steps), steps)
    }
    #expect(try commonOutcomes(subject, Scenario.explored(.publish, media: 1, limit: nil)) > 4)
  }

  /// Finishes both searches, and returns how many outcomes they share.
  private func commonOutcomes(_ subject: Explorer.Subject, _ scenario: Scenario) throws -> Int {
    let plain = try outcomes(subject, scenario, .exhaustive(reduced: false), most: 100_000)
    let reduced = try outcomes(subject, scenario, .exhaustive(reduced: true), most: 100_000)
    try #require(plain.search.isExhausted && reduced.search.isExhausted)
    #expect(reduced.outcomes == plain.outcomes)
    print(
      "\(subject.name) \(scenario.name): \(plain.search.schedules), reduced \(reduced.search.schedules),",
      "\(plain.outcomes.count) outcomes")
    return plain.outcomes.count
  }

  private func outcomes(
    _ subject: Explorer.Subject, _ scenario: Scenario, _ strategy: Search.Strategy, most: Int
  ) throws -> (outcomes: Set<String>, search: Search) {
    let expectation = try Expectation(scenario: scenario, post: scenario.makePost(), ending: .publication)
    let search = Search(strategy)
    var outcomes: Set<String> = []
    let run = ScheduledRun(expectation, subject, search)
    while search.schedules < most, search.begin() {
      if let breach = run.breach() {
        outcomes.insert("\(breach)")
      } else if !run.isRedundant {
        // Includes what the service saw: a cancelled request may end the job like an answered one.
        outcomes.insert("\(run.backend.read(\.result)!), \(run.backend.ledger.record().requests)")
      }
    }
    #expect(!search.hasDiverged)
    return (outcomes, search)
  }

  /// One or two media files, which plain enumeration can finish.
  @Test(arguments: jobs + (Effort.isThorough ? long : []))
  private func `reduction loses no outcome`(_ job: (contender: String, pattern: Pattern)) throws {
    let subject = try #require(
      Explorer.runtimes.first { $0.name == job.contender && $0.patterns.contains(job.pattern) })
    let limits = job.pattern.takesLimit ? [nil, 1] : [nil]
    for (media, limit) in (1...Effort.count(1, thorough: 2)).flatMap({ media in limits.map { (media, $0) } })
    {
      let scenario = Scenario.explored(job.pattern, media: media, limit: limit)
      let most = Effort.count(5_000, thorough: 25_000)
      let plain = try outcomes(subject, scenario, .exhaustive(reduced: false), most: most)
      let reduced = try outcomes(subject, scenario, .exhaustive(reduced: true), most: most)
      if plain.search.isExhausted {
        #expect(reduced.search.isExhausted)
        #expect(reduced.outcomes == plain.outcomes)
      }
      #expect(reduced.search.schedules <= plain.search.schedules)
      print(
        "\(job.contender) \(job.pattern.rawValue) of \(media)\(limit.map { ", limit \($0)" } ?? ""):",
        "\(plain.search.schedules)\(plain.search.isExhausted ? "" : " and more"),",
        "reduced \(reduced.search.schedules)\(reduced.search.isExhausted ? "" : " and more"),",
        "\(reduced.search.stateCount) states,",
        "\(reduced.outcomes.count) outcomes")
    }
  }

  private static let threes: [(contender: String, pattern: Pattern, limit: Int?)] =
    [("coroutines", .publish, 2), ("swift-concurrency", .publish, 2)]
    + (!Effort.isThorough
      ? []
      : [
        ("coroutines", .publish, nil), ("coroutines", .zip, nil), ("coroutines", .presigned, 2),
        ("swift-concurrency", .publish, nil), ("swift-concurrency", .zip, nil),
        ("swift-concurrency", .presigned, 2),
      ])

  /// Three media files, which plain enumeration cannot finish.
  @Test(arguments: threes) private func `reduction finds every outcome of random schedules`(
    _ job: (contender: String, pattern: Pattern, limit: Int?)
  ) throws {
    let subject = try #require(
      Explorer.runtimes.first { $0.name == job.contender && $0.patterns.contains(job.pattern) })
    let scenario = Scenario.explored(job.pattern, media: 3, limit: job.limit)
    let reduced = try outcomes(subject, scenario, .exhaustive(reduced: true), most: 200_000)
    try #require(reduced.search.isExhausted)
    let random = try outcomes(
      subject, scenario, .uniform(seed: 7), most: Effort.count(3_000, thorough: 100_000))
    #expect(random.outcomes.subtracting(reduced.outcomes) == [])
    print(
      "\(job.contender) \(job.pattern.rawValue) of 3: \(reduced.search.schedules), \(reduced.outcomes.count) outcomes,",
      "\(random.outcomes.count) of them in \(random.search.schedules) random schedules")
  }

  /// A failing coroutine readies its siblings, before or after the answer that one waits for.
  @Test(arguments: Effort.isThorough ? [Pattern.publish, .presigned] : [.publish])
  func `a sibling is cancelled before its answer and after it`(_ pattern: Pattern) throws {
    let subject = try #require(
      Explorer.runtimes.first { $0.name == "coroutines" && $0.patterns.contains(pattern) })
    _ = try commonOutcomes(subject, Scenario.explored(pattern, media: 2, limit: nil))
  }
}
