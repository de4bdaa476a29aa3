import Foundation
import Statistics

/// Checks as they would go on this machine: the test of a real one, fed with pairs that spread as the measured ones do.
///
/// The difference to be found lies in one cell, another one each time; all the others are the same in both builds.
struct CheckSimulation {
  /// How pairs differ, by contender; the cells of the check take these spreads in turn.
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

  /// The budget, in seconds, with which 95 of 100 slow-downs are found and confirmed, and 95 of 100 other cells called
  /// unchanged; infinite if none is enough.
  ///
  /// It is used up to the end: a check confirms what it has found when all is decided, or when two thirds of its budget
  /// are over; whatever is left then goes to what is not decided. So the order does not matter, but the sum.
  func budgetSeconds(
    toFind margin: Double, with test: SequentialTest, using generator: inout some RandomNumberGenerator
  ) -> Double {
    let kinds = spreads.compactMap { spread -> Kind? in
      guard let residuals = spread.residuals, let nanoseconds = spread.pairNanoseconds else { return nil }
      func courses(_ difference: Double) -> [Course] {
        (0..<checks).map { _ in course(residuals, difference, test, &generator) }
      }
      return Kind(same: courses(0), slower: courses(log1p(margin)), pairSeconds: nanoseconds / 1e9)
    }
    guard !kinds.isEmpty else { return .infinity }
    var found: [Double] = []
    var dismissed: [Double] = []
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
      let kind = kinds[planted % kinds.count]
      let confirmation = kind.slower.randomElement(using: &generator)!
      let isFound = first[planted].0.verdict == .regressed && confirmation.verdict == .regressed
      let confirming = Double(confirmation.pairs) * kind.pairSeconds
      found.append(isFound ? times.max()! + confirming : .infinity)
      for index in 0..<cells where index != planted {
        // What is decided late may have to wait for the confirmation.
        dismissed.append(first[index].0.verdict == .unchanged ? times[index] + confirming : .infinity)
      }
    }
    return max(Self.most(found), Self.most(dismissed))
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
