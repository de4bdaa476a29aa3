import UploadScenario

/// Shows that a line came from the worker's own code, and when: a secret that the parent sends before anything else goes into
/// a checksum of each line, its number and the worker's clock.
///
/// It keeps out whoever has the pipe and not the secret. Who reads the process's memory has both.
struct Seal {
  /// The first line that a sealed worker is sent.
  let secret: String
  private var lines: UInt64 = 0

  init(secret: String) { self.secret = secret }

  /// Of 128 random bits.
  static func random() -> Seal {
    Seal(secret: (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined())
  }

  /// What a sealed line says beside its text.
  struct Content: Equatable {
    var text: [UInt8]
    /// The worker's clock as it said it.
    var nanoseconds: UInt64
    /// Whether the worker had child processes then, which it should not have.
    var hasChildren: Bool
  }

  /// The next line.
  mutating func close(_ content: Content) -> [UInt8] {
    let head = "\(content.nanoseconds) \(content.hasChildren ? 1 : 0) "
    return Array("\(String(next(head, content.text), radix: 36)) \(head)".utf8) + content.text
  }

  /// What the next line says; nil if it is not the next one of this secret.
  mutating func open(_ line: [UInt8]) -> Content? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let fields = parts[..<3].map { String(decoding: $0, as: UTF8.self) }
    let text = Array(parts[3])
    guard let sum = UInt64(fields[0], radix: 36), let nanoseconds = UInt64(fields[1]),
      sum == next("\(fields[1]) \(fields[2]) ", text)
    else { return nil }
    return Content(text: text, nanoseconds: nanoseconds, hasChildren: fields[2] == "1")
  }

  private mutating func next(_ head: String, _ text: [UInt8]) -> UInt64 {
    lines += 1
    var checksum = Checksum()
    for part in [Array("\(secret) \(lines) \(head)".utf8), text] {
      part.withUnsafeBytes { checksum.update($0) }
    }
    return checksum.value
  }
}
