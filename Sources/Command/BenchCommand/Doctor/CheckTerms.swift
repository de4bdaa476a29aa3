import Verdicts
import Harness
import Statistics

/// What a check does that is told nothing but what to measure: asked of the check's own options.
struct CheckTerms<Work: Workload> {
  let scenarios: [Work]
  let terms: Resolution.Terms

  /// As shares of 1, the smallest first.
  private static var margins: [Double] {
    [
      0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3,
      0.4,
      0.5,
    ]
  }

  init(_ measure: DuetMeasure, _ subjects: CheckSubjects<Work>) throws {
    func check(_ arguments: [String] = []) throws -> AgainstOptions<Work> {
      let given = ["--against", CommandName.current, "--measure", measure.rawValue] + arguments
      return try AgainstOptions(
        Options(given, known: AgainstCheck.options(works: [])), subjects)
    }
    let usual = try check()
    let margins = Set(Self.margins + [usual.margin]).sorted()
    scenarios = usual.scenarios
    terms = Resolution.Terms(
      cells: subjects.cells(of: usual.contenders, in: usual.scenarios).count, usualMargin: usual.margin,
      budgetSeconds: Double(usual.budgetNanoseconds) / 1e9,
      tests: try margins.map { ($0, try check(["--margin", "\($0)"]).test) })
  }
}
