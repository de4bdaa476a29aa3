@testable import Harness
import TestSupport
import Testing

@testable import BenchCommand

@Suite(.ownThread) struct CheckTermsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c", [.zip])], variants: [Named("a/x")])

  private func usual(_ measure: String) throws -> AgainstOptions {
    try AgainstOptions(
      Options(["--against", "x", "--measure", measure], known: AgainstOptions.options), known: known)
  }

  @Test(arguments: ["cost", "wall"])
  func theTermsAreThoseOfACheckThatIsToldNothingElse(measure: String) throws {
    let (check, terms) = (
      try usual(measure), try CheckTerms(measure == "cost" ? .cost : .wall, known: known).terms
    )
    #expect(terms.cells == 2)
    #expect(terms.usualMargin == check.margin)
    #expect(terms.budgetSeconds == Double(check.budgetNanoseconds) / 1e9)
    #expect(terms.tests.first { $0.margin == check.margin }?.test == check.test)
  }

  @Test func marginsAreTriedFromTheSmallestOnEachWithItsTest() throws {
    let tests = try CheckTerms(.cost, known: known).terms.tests
    let margins = tests.map(\.margin)
    #expect(margins == Set(margins).sorted())
    #expect(Set(tests.map(\.test)).count == margins.count)
  }
}
