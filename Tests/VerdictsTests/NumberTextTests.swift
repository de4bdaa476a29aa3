import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct NumberTextTests {
  /// The smallest unit in which nothing needs five digits; what has the same unit anyway keeps it.
  @Test(
    arguments: [
      ([280, 4_620], ["280 ns", "4620 ns"]), ([2_010, 12_100], ["2.01 µs", "12.1 µs"]),
      ([35.9, 24_100], ["0.036 µs", "24.1 µs"]), ([631_000, 1_050_000], ["631 µs", "1050 µs"]),
      ([1_000_000, 1_050_000], ["1.00 ms", "1.05 ms"]), ([302, 5_010_000_000], ["302 ns", "5.01 s "]),
    ] as [([Double], [String])])
  func `the times of a column share one unit`(nanoseconds: [Double], texts: [String]) {
    let table = Table(
      columns: [Table.Column("time")], rows: nanoseconds.map { Table.Row([.duration($0)]) })
    #expect(table.rows.map { $0.cells[0].text } == texts)
  }

  private static let duration: @Sendable (Double) -> String = { NumberText.duration($0) }
  private static let difference: @Sendable (Double) -> String = { NumberText.duration($0, isSigned: true) }
  private static let ratio: @Sendable (Double) -> String = { NumberText.ratio($0) }
  private static let about: @Sendable (Double) -> String = { NumberText.about(Int($0)) }
  private static let probability: @Sendable (Double) -> String = { NumberText.wholePercent($0) }
  private static let share: @Sendable (Double) -> String = { NumberText.percent($0) }
  private static let bytes: @Sendable (Double) -> String = { NumberText.bytes($0) }

  /// Three digits and a fitting unit; a difference shows its sign; an estimate has two digits, a share no more than it needs, and a
  /// probability is shown as certain only if it is.
  @Test(
    arguments: [
      (duration, [0: "0.00 ns", 42: "42.0 ns", 210: "210 ns", 999.4: "999 ns", 999.6: "1.00 µs"]),
      (duration, [142_300_000: "142 ms", 1_204_000_000: "1.20 s ", 5e12: "5000 s ", -1_420: "-1.42 µs"]),
      (difference, [130: "+130 ns", -130: "-130 ns", 0: "0.00 ns", -0.001: "0.00 ns"]),
      (ratio, [0.9712: "0.97", 9.996: "10.0", 1_234.5: "1234", 16_592_282: "1.66e7"]),
      (about, [7: "7", 99: "99", 114: "110", 115: "120", 995: "1 000"]),
      (probability, [0: "0 %", 0.004: "< 1 %", 0.926: "93 %", 0.996: "> 99 %", 1: "100 %"]),
      (share, [0.05: "5 %", 0.025: "2.5 %", 0.3: "30 %"]),
      (bytes, [0: "0 B", 1_000: "1000 B", 1_024: "1.00 KiB", 3e9: "2.79 GiB"]),
    ] as [(@Sendable (Double) -> String, [Double: String])])
  func `a number has as many digits as it needs`(
    write: @Sendable (Double) -> String, texts: [Double: String]
  ) {
    for (number, text) in texts { #expect(write(number) == text) }
  }
}
