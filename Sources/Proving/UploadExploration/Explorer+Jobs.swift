import ClosureTaskUploads
import Conformance
import CoroutineUploads
import FutureUploads
import ReactiveStreamUploads
import SwiftConcurrencyUploads
import UploadScenario

extension Explorer {
  /// Who is explored: a contender, and what it has left to do by itself.
  struct Subject: Sendable {
    let name: String
    let patterns: [Pattern]
    let make: @Sendable () -> (any Contender, any Steps)
  }

  /// One contender with one scenario.
  struct Job: Sendable {
    let subject: Subject
    let expectation: Expectation
    let isSmall: Bool

    var pattern: Pattern { expectation.scenario.pattern }

    private var limit: String { expectation.scenario.limit.map { ", limit \($0)" } ?? "" }

    /// As the file of a schedule names it.
    var place: String { "\(subject.name) \(pattern.rawValue) of \(isSmall ? 3 : 7)\(limit)" }
    /// As it is told apart from the contender's others of as many uploads.
    var name: String { pattern.rawValue + limit }
  }

  func jobs(_ contenders: [String]?, _ patterns: [Pattern]) -> [Job] {
    var jobs: [Job] = []
    for subject in subjects where contenders?.contains(subject.name) ?? true {
      for pattern in subject.patterns where patterns.contains(pattern) {
        // All schedules of three media can be tried, or nearly all; for seven there are random ones.
        for (media, limit, isSmall) in [(3, 2, true), (7, 4, false)] {
          for limit in pattern.takesLimit ? [nil, limit] : [nil] {
            let scenario = Scenario.explored(pattern, media: media, limit: limit)
            // Made-up bytes can always be read.
            let expectation = try! Expectation(
              scenario: scenario, post: scenario.makePost(), ending: .publication)
            jobs.append(Job(subject: subject, expectation: expectation, isSmall: isSmall))
          }
        }
      }
    }
    return jobs
  }

  /// What prepares or reads on a queue of Dispatch has more than one thread: only coroutines and tasks bring that along.
  private static let onOneThread: [Pattern] = [.publish, .sequence, .zip, .zipSerial, .race, .resilient]

  static let runtimes: [Subject] =
    [
      Subject(name: "closure-tasks", patterns: onOneThread) { (ClosureTaskUploads(), TimerSteps()) },
      Subject(name: "futures", patterns: onOneThread) { (FutureUploads(), TimerSteps()) },
      Subject(name: "coroutines", patterns: Pattern.allCases) {
        let steps = CoroutineSteps()
        return (CoroutineUploads(scheduler: steps, timer: steps.timer), steps)
      },
      Subject(name: "reactive-streams", patterns: onOneThread) { (ReactiveStreamUploads(), TimerSteps()) },
      // Calls that block have threads of Dispatch.
      Subject(name: "swift-concurrency", patterns: Pattern.allCases.filter { !$0.blocksThreads }) {
        let steps = TaskSteps(isStructured: true)
        return (SwiftConcurrencyUploads(clock: steps.virtualClock), steps)
      },
    ]
    + SwiftConcurrencyUploads.variants.map { variant in
      Subject(name: variant.name, patterns: variant.patterns) { (variant, TaskSteps(isStructured: false)) }
    }
}

extension Scenario {
  /// What a contender is asked to do in every schedule.
  static func explored(_ pattern: Pattern, media: Int, limit: Int?) -> Scenario {
    Scenario(tried: pattern, media) {
      $0.limit = limit
      $0.hedgeDelay = .milliseconds(5)
      $0.retry = RetryPolicy(attempts: 2, attemptDeadline: .milliseconds(40), deadline: .seconds(1))
      ($0.bufferCapacity, $0.uploaders) = (1, 2)
    }
  }
}
