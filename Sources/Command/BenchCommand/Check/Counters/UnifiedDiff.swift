/// What changed in a text, line by line, in the format that `patch` and reviewers read.
enum UnifiedDiff {
  private static let context = 3

  /// Empty if nothing did.
  static func text(from old: String, to new: String, path: String) -> String {
    let lines = merged(lines(old), lines(new))
    let changed = lines.indices.filter { lines[$0].mark != " " }
    var hunks: [Range<Int>] = []
    for index in changed {
      let range = max(0, index - context)..<min(lines.count, index + context + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    if hunks.isEmpty { return "" }
    return "--- \(old.isEmpty ? "/dev/null" : path)\n+++ \(path)\n" + hunks.map { hunk(lines, $0) }.joined()
  }

  private static func hunk(_ lines: [(mark: Character, text: String)], _ range: Range<Int>) -> String {
    func place(_ foreign: Character) -> String {
      let count = lines[range].count { $0.mark != foreign }
      let before = lines[..<range.lowerBound].count { $0.mark != foreign }
      return "\(count == 0 ? before : before + 1),\(count)"
    }
    return "@@ -\(place("+")) +\(place("-")) @@\n" + lines[range].map { "\($0.mark)\($0.text)\n" }.joined()
  }

  /// Both texts in one: what is in both, only in the old or only in the new one.
  private static func merged(_ old: [String], _ new: [String]) -> [(mark: Character, text: String)] {
    let difference = new.difference(from: old)
    var merged = old.map { (mark: Character(" "), text: $0) }
    for case .remove(let offset, _, _) in difference.removals { merged[offset].mark = "-" }
    for case .insert(let offset, let text, _) in difference.insertions {
      // Behind so many lines of the new text, and behind what was removed there.
      var (place, kept) = (0, 0)
      while place < merged.count, kept < offset || merged[place].mark == "-" {
        if merged[place].mark != "-" { kept += 1 }
        place += 1
      }
      merged.insert((mark: "+", text: text), at: place)
    }
    return merged
  }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}
