import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct SeededGeneratorTests {
  /// The first outputs of the published SplitMix64 for seed 1234567.
  @Test func `the numbers are those of SplitMix64`() {
    var generator = SeededGenerator(seed: 1_234_567)
    let drawn = (0..<3).map { _ in generator.next() }
    #expect(drawn == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test func `a number by its index is the one drawn there`() {
    var generator = SeededGenerator(seed: 42)
    for index in 0..<100 { #expect(generator.next() == SeededGenerator.value(seed: 42, index: index)) }
  }

  @Test func `units stay below one`() {
    #expect(SeededGenerator.unit(.max) < 1)
    #expect(SeededGenerator.unit(0) == 0)
  }
}
