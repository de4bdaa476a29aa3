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
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var merged: [(mark: Character, text: String)] = []
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < old.count || newIndex < new.count {
      if removed.contains(oldIndex) {
        merged.append(("-", old[oldIndex]))
        oldIndex += 1
      } else if inserted.contains(newIndex) {
        merged.append(("+", new[newIndex]))
        newIndex += 1
      } else {
        merged.append((" ", old[oldIndex]))
        oldIndex += 1
        newIndex += 1
      }
    }
    return merged
  }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}
