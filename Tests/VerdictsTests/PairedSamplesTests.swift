import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct PairedSamplesTests {
  private func cell(_ contender: String, _ turns: [(generation: Int, round: Int, wall: Int)]) -> CellSamples {
    CellSamples(
      key: CellKey(contender: contender, scenario: "s"),
      samples: turns.map { turn in
        Sample {
          ($0.run, $0.generation, $0.round, $0.position) = ("r", turn.generation, turn.round, 0)
          ($0.contender, $0.scenario, $0.pattern, $0.service) = (contender, "s", "publish", "instant")
          ($0.fanOut, $0.payloadBytes, $0.iterations, $0.outcome) = (1, 1, 1, .measured)
          $0.wallNanoseconds = turn.wall
          $0.dropped = turn.round == 9 ? .disturbed : nil
        }
      })
  }

  @Test func `only samples of the same generation and round are compared`() {
    let paired = PairedSamples(
      candidate: cell("a", [(0, 1, 20), (0, 2, 30), (1, 1, 40), (1, 3, 50), (0, 9, 1)]),
      reference: cell("b", [(1, 1, 10), (0, 2, 10), (0, 1, 10), (1, 2, 10), (0, 9, 1)]))
    #expect(paired.differencesNanoseconds == [10, 20, 30])
    #expect(paired.logRatios.count == 3)
  }

  @Test func `several samples of a round count as their geometric mean`() {
    let paired = PairedSamples(
      candidate: cell("a", [(0, 1, 30), (0, 2, 40)]),
      reference: cell("b", [(0, 1, 10), (0, 2, 10), (0, 1, 40), (0, 2, 10)]))
    #expect(paired.pairs.map { [$0.candidate, $0.reference.rounded()] } == [[30, 20], [40, 10]])
  }

  /// Looks are taken at the first so many.
  @Test func `pairs are in the order of the rounds`() {
    let turns = [(1, 2, 60), (0, 10, 20), (1, 1, 50), (0, 2, 10)]
    let paired = PairedSamples(
      candidate: cell("a", turns), reference: cell("b", turns.map { ($0.0, $0.1, 1) }))
    #expect(paired.pairs.map(\.candidate) == [10, 20, 50, 60])
  }
}
