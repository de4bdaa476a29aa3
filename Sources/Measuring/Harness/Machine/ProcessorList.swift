import Foundation

/// Processors as the kernel lists them, such as `0-3,6`.
enum ProcessorList {
  /// Their numbers; nil of a text that is no such list.
  static func numbers(_ text: String) -> [Int]? {
    var numbers: [Int] = []
    for part in text.split(separator: ",") {
      let bounds = part.split(separator: "-").map { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last
      else { return nil }
      numbers += first...last
    }
    return numbers.isEmpty ? nil : numbers
  }
}
