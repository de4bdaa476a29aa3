@testable import Harness
import TestSupport
import UploadScenario
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CheckTermsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c", [.zip])], variants: [Named("a/x")])

  private var subjects: CheckSubjects<Scenario> { CheckSubjects(uploads: known) }

  private func usual(_ measure: String) throws -> AgainstOptions<Scenario> {
    try AgainstOptions(
      Options(["--against", "x", "--measure", measure], known: CheckCommand.ofUploads.options), subjects)
  }

  @Test(arguments: ["cost", "wall"])
  func `the doctor's terms are those of a default check`(measure: String) throws {
    let (check, terms) = (
      try usual(measure), try CheckTerms(measure == "cost" ? .cost : .wall, subjects).terms
    )
    #expect(terms.cells == 4)
    #expect(terms.usualMargin == check.margin)
    #expect(terms.budgetSeconds == Double(check.budgetNanoseconds) / 1e9)
    #expect(terms.tests.first { $0.margin == check.margin }?.test == check.test)
  }

  @Test func `margins are tried in ascending order, each with its test`() throws {
    let tests = try CheckTerms(.cost, subjects).terms.tests
    let margins = tests.map(\.margin)
    #expect(margins == Set(margins).sorted())
    #expect(Set(tests.map(\.test)).count == margins.count)
  }
}
