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
