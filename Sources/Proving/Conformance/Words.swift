import UploadScenario

extension Duration {
  /// As people read it: `3,600 s`, `10 ms`, `2.9 ms`.
  var text: String { text(in: unit) }

  /// Both in one unit: `4 to 9 ms`.
  func text(to other: Duration) -> String {
    guard other != self else { return text }
    let unit = min(self, other).unit
    return "\(text(in: unit).split(separator: " ")[0]) to \(other.text(in: unit))"
  }

  private var nanoseconds: Int { Int(clamping: Int128(attoseconds / 1_000_000_000)) }

  private var unit: (name: String, nanoseconds: Int) {
    switch abs(nanoseconds) {
    case 1_000_000_000...: ("s", 1_000_000_000)
    case 1..<100_000: ("µs", 1_000)
    default: ("ms", 1_000_000)
    }
  }

  private func text(in unit: (name: String, nanoseconds: Int)) -> String {
    let tenths = Int((Double(nanoseconds) / Double(unit.nanoseconds) * 10).rounded())
    let isWhole = abs(tenths) >= 100 || tenths % 10 == 0
    let number =
      isWhole
      ? Self.thousands(Int((Double(tenths) / 10).rounded()))
      : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    return "\(number) \(unit.name)"
  }

  private static func thousands(_ count: Int) -> String {
    guard count >= 1_000 else { return "\(count)" }
    let last = "\(count % 1_000)"
    return "\(thousands(count / 1_000)),\(String(repeating: "0", count: 3 - last.count))\(last)"
  }
}

extension Int {
  /// Such as `1 upload`, `2 uploads`.
  func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
