import Foundation
import Statistics

/// Checks as they would go on this machine: the test of a real one, fed with pairs that spread as the measured ones do.
///
/// The difference to be found lies in one cell, another one each time; all the others are the same in both builds.
struct CheckSimulation {
  /// Who spreads how; the cells of the check spread like these by turns.
  let spreads: [Spread]
  /// What the check is about; beside it there are two cells that prove it.
  let cells: Int
  /// How many checks are simulated.
  let checks: Int

  /// How one cell went.
  private struct Course {
    let verdict: SequentialTest.Verdict
    let pairs: Int
  }

  /// The courses of cells of one kind, and what a pair of theirs takes.
  private struct Kind {
    var same: [Course] = []
    var slower: [Course] = []
    let pairSeconds: Double
  }

  /// What it takes until 95 of 100 slow-downs are found and confirmed, and 95 of 100 other cells called unchanged.
  struct Need {
    /// Seconds until then; infinite if that is never so.
    var seconds: Double
    /// The seconds that a check must be allowed for it: it keeps a third of them for confirmations.
    var budgetSeconds: Double

    static let infinite = Need(seconds: .infinity, budgetSeconds: .infinity)
  }

  /// Which share of its budget a check may use before it confirms what it found.
  private static let shareBeforeConfirmation = 2.0 / 3

  func need(
    toFind margin: Double, with test: SequentialTest, using generator: inout some RandomNumberGenerator
  ) -> Need {
    let kinds = spreads.compactMap { spread -> Kind? in
      guard let residuals = spread.residuals, let nanoseconds = spread.pairNanoseconds else { return nil }
      func courses(_ difference: Double) -> [Course] {
        (0..<checks).map { _ in course(residuals, difference, test, &generator) }
      }
      return Kind(same: courses(0), slower: courses(log1p(margin)), pairSeconds: nanoseconds / 1e9)
    }
    guard !kinds.isEmpty else { return .infinite }
    var found: [Need] = []
    var dismissed: [Need] = []
    for number in 0..<checks {
      let planted = number % cells
      let first = (0..<cells).map { index in
        let kind = kinds[index % kinds.count]
        return (
          (index == planted ? kind.slower : kind.same).randomElement(using: &generator)!, kind.pairSeconds
        )
      }
      let proofs = [kinds[0].same, kinds[0].slower].map {
        ($0.randomElement(using: &generator)!, kinds[0].pairSeconds)
      }
      let times = Self.decisionSeconds(first + proofs)
      for index in 0..<cells where index != planted {
        dismissed.append(
          first[index].0.verdict == .unchanged
            ? Need(seconds: times[index], budgetSeconds: times[index] / Self.shareBeforeConfirmation)
            : .infinite)
      }
      let kind = kinds[planted % kinds.count]
      let confirmation = kind.slower.randomElement(using: &generator)!
      let isFound = first[planted].0.verdict == .regressed && confirmation.verdict == .regressed
      // It is confirmed when all are decided.
      let all = times.max()!
      let end = all + Double(confirmation.pairs) * kind.pairSeconds
      found.append(
        isFound
          ? Need(seconds: end, budgetSeconds: max(all / Self.shareBeforeConfirmation, end)) : .infinite)
    }
    return Need(
      seconds: max(Self.most(found.map(\.seconds)), Self.most(dismissed.map(\.seconds))),
      budgetSeconds: max(Self.most(found.map(\.budgetSeconds)), Self.most(dismissed.map(\.budgetSeconds))))
  }

  private func course(
    _ residuals: [Double], _ difference: Double, _ test: SequentialTest,
    _ generator: inout some RandomNumberGenerator
  ) -> Course {
    var values: [Double] = []
    while true {
      values.append(difference + residuals.randomElement(using: &generator)!)
      if let verdict = test.verdict(of: values) { return Course(verdict: verdict, pairs: values.count) }
    }
  }

  /// When each cell is decided, if in every round each undecided one takes a pair.
  private static func decisionSeconds(_ courses: [(Course, pairSeconds: Double)]) -> [Double] {
    courses.map { course, _ in
      courses.reduce(0) { $0 + Double(min($1.0.pairs, course.pairs)) * $1.pairSeconds }
    }
  }

  /// What is enough for 95 of 100; of none at all nothing is needed.
  private static func most(_ seconds: [Double]) -> Double {
    guard !seconds.isEmpty else { return 0 }
    return seconds.sorted()[Int((0.95 * Double(seconds.count)).rounded(.up)) - 1]
  }
}
