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

  @Test(
    arguments: [
      (0, "0.00 ns"), (3.456, "3.46 ns"), (42, "42.0 ns"), (210, "210 ns"), (999.4, "999 ns"),
      (999.6, "1.00 µs"), (1_420, "1.42 µs"), (14_230, "14.2 µs"), (142_300_000, "142 ms"),
      (1_204_000_000, "1.20 s "), (5_000_000_000_000, "5000 s "), (-1_420, "-1.42 µs"),
    ] as [(Double, String)])
  func `a duration has three digits and a fitting unit`(nanoseconds: Double, expected: String) {
    #expect(NumberText.duration(nanoseconds) == expected)
  }

  @Test(
    arguments: [(130, "+130 ns"), (-130, "-130 ns"), (0, "0.00 ns"), (-0.001, "0.00 ns")]
      as [(Double, String)])
  func `a difference shows its sign`(nanoseconds: Double, expected: String) {
    #expect(NumberText.duration(nanoseconds, isSigned: true) == expected)
  }

  @Test(
    arguments: [
      (0.9712, "0.97"), (9.996, "10.0"), (40.04, "40.0"), (1_234.5, "1234"), (16_592_282, "1.66e7"),
    ] as [(Double, String)])
  func `a ratio has three digits`(value: Double, expected: String) {
    #expect(NumberText.ratio(value) == expected)
  }

  @Test(
    arguments: [
      (7, "7"), (99, "99"), (114, "110"), (115, "120"), (1_249, "1 200"), (995, "1 000"), (10_000, "10 000"),
    ])
  func `an estimate has two digits`(count: Int, expected: String) {
    #expect(NumberText.about(count) == expected)
  }

  @Test(
    arguments: [
      (0, "0 %"), (0.004, "< 1 %"), (0.926, "93 %"), (0.996, "> 99 %"), (1, "100 %"), (0.705, "70 %"),
      (0.295, "30 %"),
    ]
      as [(Double, String)])
  func `a probability is shown as certain only if it is`(share: Double, expected: String) {
    #expect(NumberText.wholePercent(share) == expected)
  }

  @Test(arguments: [(0.05, "5 %"), (0.025, "2.5 %"), (0.3, "30 %")])
  func `a share has no more digits than it needs`(share: Double, expected: String) {
    #expect(NumberText.percent(share) == expected)
  }

  @Test(
    arguments: [
      (0, "0 B"), (1_000, "1000 B"), (1_024, "1.00 KiB"), (4_888, "4.77 KiB"), (3e9, "2.79 GiB"),
    ] as [(Double, String)])
  func `bytes have a fitting binary unit`(bytes: Double, expected: String) {
    #expect(NumberText.bytes(bytes) == expected)
  }
}
