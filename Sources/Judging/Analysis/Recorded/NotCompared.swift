import Results

/// A cell that only one run has, or that cannot be compared for another reason.
public struct NotCompared: Sendable, Hashable {
  public let key: CellKey
  /// Without a subject, such as `only in results/a`.
  public let reason: String
  /// Whether the base has a number for it: then a gate has lost something that it guarded.
  public let isLost: Bool

  /// One sentence for each reason, with the contenders, scenarios or cells that it holds for, whichever says most at once.
  ///
  /// - Parameter keys: all cells that were asked for.
  static func sentences(_ left: [NotCompared], of keys: [CellKey]) -> [String] {
    var rest = left
    // Who shares a reason shares a sentence.
    var said: [(subject: String, reason: String)] = []
    /// Says once what holds for all cells of a group, or for several.
    func fold(_ path: KeyPath<CellKey, String>, fewest: Int) {
      for name in rest.map({ $0.key[keyPath: path] }).unique() {
        let mine = rest.filter { $0.key[keyPath: path] == name }
        let all = Set(keys.filter { $0[keyPath: path] == name }).count
        for reason in mine.map(\.reason).unique() {
          let same = mine.filter { $0.reason == reason }
          guard same.count >= min(fewest, max(all, 2)) else { continue }
          let some = same.count == all ? "" : " (\(Plural.counted(same.count, "cell")))"
          said.append((name + some, reason))
          rest.removeAll { same.contains($0) }
        }
      }
    }
    fold(\.place.description, fewest: .max)
    fold(\.contender, fewest: .max)
    fold(\.place.description, fewest: 3)
    said += rest.map { ($0.key.description, $0.reason) }
    return said.map(\.reason).unique().map { reason in
      let subjects = said.filter { $0.reason == reason }.map(\.subject)
      return "\(subjects.joined(separator: ", ")): \(reason)."
    }
  }
}
