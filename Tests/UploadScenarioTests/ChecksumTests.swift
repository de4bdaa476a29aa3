import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct ChecksumTests {
  private func checksum(_ pieces: [UInt8]...) -> UInt64 {
    var checksum = Checksum()
    for piece in pieces { piece.withUnsafeBytes { checksum.update($0) } }
    return checksum.value
  }

  @Test(arguments: [0, 1, 7, 8, 9, 63, 64, 65])
  func `the checksum does not depend on how bytes are split`(_ cut: Int) {
    let bytes = (0..<65).map { UInt8($0) }
    #expect(checksum(Array(bytes[..<cut]), Array(bytes[cut...])) == checksum(bytes))
    #expect(checksum(Array(bytes[..<cut]), [], Array(bytes[cut...])) == checksum(bytes))
  }

  @Test func `every bit and the length change the checksum`() {
    let bytes = [UInt8](repeating: 0, count: 24)
    var seen: Set<UInt64> = [checksum(bytes), checksum(bytes + [0]), checksum([])]
    for bit in 0..<24 * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      seen.insert(checksum(changed))
    }
    #expect(seen.count == 3 + 24 * 8)
  }
}

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
