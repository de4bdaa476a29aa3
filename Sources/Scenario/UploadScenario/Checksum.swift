/// A checksum of bytes in the order in which they come, eight at a time; not for keeping secrets.
///
/// Xor, a multiplication by 2⁶⁴ ÷ golden ratio (Knuth's multiplicative hashing) and an xor-shift mix each little-endian word in;
/// the length and the finaliser of SplitMix64 close it. Two inputs of equal length that differ in one word never agree.
public struct Checksum: Sendable {
  private var state: UInt64 = 0
  private var byteCount = 0
  /// Bytes that do not fill a word yet, the first one lowest.
  private var pending: UInt64 = 0

  /// The checksum of no bytes.
  public init() {}

  /// Takes in the next bytes; how a whole is cut into pieces does not matter.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while byteCount % 8 != 0, offset < bytes.count {
      take(bytes[offset])
      offset += 1
    }
    let words = (bytes.count - offset) / 8
    for _ in 0..<words {
      absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    byteCount += words * 8
    for byte in bytes[offset...] { take(byte) }
  }

  /// The checksum of all bytes so far.
  public var value: UInt64 {
    var last = self
    if byteCount % 8 != 0 { last.absorb(pending) }
    return SeededGenerator.value(seed: last.state, index: byteCount)
  }

  private mutating func take(_ byte: UInt8) {
    pending |= UInt64(byte) << (byteCount % 8 * 8)
    byteCount += 1
    guard byteCount % 8 == 0 else { return }
    absorb(pending)
    pending = 0
  }

  private mutating func absorb(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    // Carries the high bits down: multiplication alone only moves bits up.
    state ^= state >> 32
  }
}
