import Foundation

/// Formats numbers for readers, with three significant digits and a suitable unit.
public enum NumberText {
  /// A time, such as `1.42 µs`, in a suitable unit by default. All units are two characters wide, so right-aligned digits line up.
  static func duration(_ nanoseconds: Double, isSigned: Bool = false, unit: TimeUnit? = nil) -> String {
    let unit = unit ?? .fitting(nanoseconds)
    let value = nanoseconds / unit.nanoseconds
    let isSmall = abs(value) < 0.9995 && unit.nanoseconds > 1
    let digits = isSmall ? String(format: "%.3f", value) : threeDigits(value)
    return (isSigned && nanoseconds > 0 ? "+" : "") + digits + " " + unit.name
  }

  /// The duration without padding.
  public static func time(_ nanoseconds: Double) -> String { duration(nanoseconds).trimmed }

  /// A number, such as `0.97` or `1.66e7`, at most six columns wide.
  static func ratio(_ value: Double) -> String {
    guard value >= 99_999.5 else { return threeDigits(value) }
    let exponent = Int(log10(value))
    return threeDigits(value / pow(10, Double(exponent))) + "e\(exponent)"
  }

  /// A number with two digits, or with three digits near 1: `0.34`, `1.04`, `1.6`, `19`.
  static func multiple(_ value: Double) -> String {
    let decimals =
      switch value {
      case ..<0.0995: 3
      case ..<1.195: 2
      case ..<9.95: 1
      default: 0
      }
    return value < 99_999.5 ? String(format: "%.\(decimals)f", value) : ratio(value)
  }

  /// A range of times, such as `579 to 896 ns`, or `896 ns to 1.12 µs`.
  static func span(_ low: Double, _ high: Double) -> String {
    let (low, high) = (time(low), time(high))
    let (first, last) = (low.split(separator: " "), high.split(separator: " "))
    return first[1] == last[1] ? "\(first[0]) to \(high)" : "\(low) to \(high)"
  }

  /// A share as text, such as `5 %` or `2.5 %`.
  static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1_000).rounded())
    return (tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)") + " %"
  }

  /// A share in whole per cent, such as `93 %`. A share below 1 is never `100 %`.
  static func wholePercent(_ share: Double) -> String {
    // Halves are rounded to even, so that a share and its complement add up to 100.
    let rounded = Int((share * 100).rounded(.toNearestOrEven))
    if rounded == 100, share < 1 { return "> 99 %" }
    return rounded == 0 && share > 0 ? "< 1 %" : "\(rounded) %"
  }

  /// An estimated count with two digits: `13`, `120`, `1 300`.
  static func about(_ count: Int) -> String {
    var unit = 1
    while count / unit >= 100 { unit *= 10 }
    return thousands((count + unit / 2) / unit * unit)
  }

  /// A count, at least 0, with spaces between groups of three digits: `1 000 000`.
  static func thousands(_ count: Int) -> String {
    guard count >= 1_000 else { return String(count) }
    let last = String(count % 1_000)
    return thousands(count / 1_000) + " " + String(repeating: "0", count: 3 - last.count) + last
  }

  static func whole(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : threeDigits(value)
  }

  /// A number of bytes, such as `4.77 KiB`.
  static func bytes(_ value: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB"]
    var (value, index) = (value, 0)
    while value >= 1023.5, index < units.count - 1 { (value, index) = (value / 1024, index + 1) }
    return (index == 0 ? whole(value) : threeDigits(value)) + " " + units[index]
  }

  static func mebibytes(_ bytes: Double) -> String { threeDigits(bytes / 1_048_576) }

  static func threeDigits(_ value: Double) -> String {
    let decimals =
      switch abs(value) {
      case ..<9.995: 2
      case ..<99.95: 1
      default: 0
      }
    let text = String(format: "%.\(decimals)f", value)
    // Rounding may produce "-0.00".
    return text.allSatisfy { "-0.".contains($0) } ? text.replacing("-", with: "") : text
  }
}

struct TimeUnit: Equatable {
  let name: String
  let nanoseconds: Double

  private static let all = [
    TimeUnit(name: "ns", nanoseconds: 1), TimeUnit(name: "µs", nanoseconds: 1e3),
    TimeUnit(name: "ms", nanoseconds: 1e6), TimeUnit(name: "s ", nanoseconds: 1e9),
  ]

  /// The largest unit in which the time is at least 1 after rounding. 999.5 would be printed as 1000, so it gets the next unit.
  static func fitting(_ nanoseconds: Double) -> TimeUnit {
    all.last { abs(nanoseconds) >= $0.nanoseconds * 0.9995 } ?? all[0]
  }

  /// A common unit: the smallest in which the longest time has at most four digits. `nil` if the shortest time would be shown as 0.
  static func common(_ nanoseconds: [Double]) -> TimeUnit? {
    guard let most = nanoseconds.map({ abs($0) }).max(), let least = nanoseconds.map({ abs($0) }).min() else {
      return nil
    }
    let fitting = fitting(most)
    let unit =
      fitting == self.fitting(least) ? fitting : all.first { most < 9_999.5 * $0.nanoseconds } ?? fitting
    return least < 0.01 * unit.nanoseconds ? nil : unit
  }
}

/// Chooses the singular or plural of a noun.
public enum Plural {
  /// The number and the noun, such as `1 cell`, `2 passes`.
  public static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(of(noun, count))" }

  /// The noun, such as `cell` for 1, and `cells` for any other number.
  public static func of(_ noun: String, _ count: Int) -> String {
    count == 1 ? noun : noun + (noun.hasSuffix("s") ? "es" : "s")
  }
}

extension [String] {
  /// The texts in a sentence, such as `a, b and c`.
  var listed: String { count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1] }
}

extension String {
  /// The text without the trailing space that aligns units in a column.
  var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
