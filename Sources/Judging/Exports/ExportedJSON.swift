import Foundation

/// How exports are written that are JSON: sorted keys, so that two of them can be compared line by line.
enum ExportedJSON {
  static func text(_ document: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }

  static func seconds(_ nanoseconds: some BinaryInteger) -> Double { Double(nanoseconds) / 1e9 }

  /// In at most six significant digits: no statistic has more to say.
  static func rounded(_ value: Double) -> Double { Double(String(format: "%.6g", value)) ?? value }
}
