extension RecordedRun {
  /// From so many characters on a path is too long to stand in every second sentence.
  private static let longestName = 32

  /// Both runs, called by the ends of their paths that tell them apart, if the whole is long.
  static func shortlyNamed(_ base: RecordedRun, _ candidate: RecordedRun) -> (RecordedRun, RecordedRun) {
    guard max(base.path.count, candidate.path.count) > longestName else { return (base, candidate) }
    let (old, new) = (base.path.split(separator: "/"), candidate.path.split(separator: "/"))
    let most = max(old.count, new.count)
    for parts in stride(from: 1, to: most, by: 1) {
      let (first, second) = (end(old, parts), end(new, parts))
      if first != second, max(first.count, second.count) <= longestName {
        return (RecordedRun(base, named: first), RecordedRun(candidate, named: second))
      }
    }
    return (RecordedRun(base, named: "the base"), RecordedRun(candidate, named: "the candidate"))
  }

  private static func end(_ parts: [Substring], _ count: Int) -> String {
    parts.suffix(count).joined(separator: "/")
  }
}
