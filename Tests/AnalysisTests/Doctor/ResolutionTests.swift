import Foundation
import Testing

@testable import Analysis

@Suite struct ResolutionTests {
  private func resolution(
    deviation: Double, cells: Int = 8, milliseconds: Double = 100, times: [Double] = [10, 60, 300],
    seed: UInt64 = 1
  ) -> Resolution {
    var generator = DoctorFixture.Generator(state: seed)
    return Resolution(
      of: [DoctorFixture.spread(deviation: deviation, milliseconds: milliseconds)],
      DoctorFixture.terms(cells: cells), times: times, checks: 60, using: &generator)
  }

  /// Eight cells and two proofs take eight pairs each, and the confirmation takes eight more: 88 of a tenth of a second.
  @Test func aMachineThatRepeatsExactlyTakesTheFewestPairs() throws {
    let resolution = resolution(deviation: 0)
    #expect(abs(try #require(resolution.usualSeconds) - 8.8) < 1e-9)
    #expect(resolution.smallest.map(\.margin) == [0.01, 0.01, 0.01])
  }

  @Test(arguments: [(4, 50.0, 2.8), (1, 100, 3.2), (8, 200, 17.6)])
  func theTimeIsThatOfAllPairs(cells: Int, milliseconds: Double, seconds: Double) throws {
    let resolution = resolution(deviation: 0, cells: cells, milliseconds: milliseconds)
    #expect(abs(try #require(resolution.usualSeconds) - seconds) < 1e-9)
  }

  @Test func anUnsteadyMachineFindsOnlyLargeSlowDownsAndTakesLonger() throws {
    let (steady, unsteady) = (resolution(deviation: 0.01), resolution(deviation: 0.05))
    #expect(try #require(steady.usualSeconds) < 30)
    #expect(unsteady.usualSeconds == nil)
    let (fine, coarse) = (steady.smallest[2].margin, unsteady.smallest[2].margin)
    #expect(try #require(fine) < (try #require(coarse)))
  }

  @Test func nothingIsFoundInLessTimeThanTheFewestPairsTake() {
    #expect(resolution(deviation: 0, times: [8, 9]).smallest.map(\.margin) == [nil, 0.01])
  }

  @Test func moreTimeNeverFindsLess() {
    let margins = resolution(deviation: 0.02, times: [5, 10, 20, 40, 80]).smallest.map { $0.margin ?? 1 }
    #expect(margins == margins.sorted(by: >))
  }

  @Test func withinTheBudgetIsAskedLikeAnyOtherTime() {
    let resolution = resolution(deviation: 0.02, times: [120])
    #expect(resolution.smallest[0].margin == resolution.smallestWithinBudget)
  }

  @Test func theSameSeedSaysTheSame() {
    #expect(resolution(deviation: 0.02, seed: 7) == resolution(deviation: 0.02, seed: 7))
  }

  @Test func withoutASpreadNothingIsFound() {
    var generator = DoctorFixture.Generator(state: 1)
    let resolution = Resolution(
      of: [Spread("a")], DoctorFixture.terms(), times: [10], checks: 10, using: &generator)
    #expect(resolution.usualSeconds == nil)
    #expect(resolution.smallest.map(\.margin) == [nil])
  }

  /// The noisier of two contenders has half of the cells, and they decide.
  @Test func theCellsSpreadLikeTheMeasuredOnesByTurns() throws {
    var generator = DoctorFixture.Generator(state: 1)
    let mixed = Resolution(
      of: [
        DoctorFixture.spread("a", deviation: 0), DoctorFixture.spread("b", deviation: 0, milliseconds: 300),
      ], DoctorFixture.terms(), times: [], checks: 20, using: &generator)
    // Four cells and both proofs like a, four like b, eight pairs each; most confirmations of 95 are no longer than b's.
    let seconds = 6 * 0.8 + 4 * 2.4 + 2.4
    #expect(abs(try #require(mixed.usualSeconds) - seconds) < 1e-9)
  }

  @Test func aSlowDownThatIsFoundOnceAndNotAgainIsNotFound() {
    // At this spread the first look alone finds three of four.
    #expect(resolution(deviation: 0.03).usualSeconds == nil)
  }
}
