import Foundation

/// Lines at the bottom of the terminal that are drawn over, without a moment in which they are not there.
///
/// It changes no state of the terminal, so whatever ends the process leaves it usable; and what stood above stays.
final class WatchScreen {
  private var drawn: (lines: Int, columns: Int, height: Int)?

  func draw(_ lines: [String], columns: Int, height: Int) {
    let isSameSize = drawn.map { $0.columns == columns && $0.height == height } ?? true
    // A terminal of another size has moved everything elsewhere.
    let start = isSameSize ? Self.toTop(of: drawn?.lines ?? 0) : "\u{1B}[H\u{1B}[2J"
    write(start + Self.over(lines))
    drawn = (lines.count, columns, height)
  }

  func clear() {
    guard let drawn else { return }
    write(Self.toTop(of: drawn.lines) + "\u{1B}[J")
    self.drawn = nil
  }

  /// Moves from the last of so many lines to the start of the first.
  static func toTop(of lines: Int) -> String { lines > 1 ? "\r\u{1B}[\(lines - 1)A" : "\r" }

  /// Each line with nothing behind it, and nothing below the last.
  static func over(_ lines: [String]) -> String {
    lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
  }

  /// At once, so that nobody sees a half of it. Nobody to see it is no reason to stop.
  private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
