/// Finds what someone meant to type.
enum NearestName {
  /// The only known name that begins so (or of which all others are variants), or the one with the least edits, if they are at most a third of its length
  /// (and at least two).
  static func of(_ name: String, among names: [String]) -> String? {
    let completions = names.filter { !name.isEmpty && $0.hasPrefix(name) }
    if let shortest = completions.min(by: { $0.count < $1.count }),
      completions.allSatisfy({ $0 == shortest || $0.hasPrefix(shortest + "/") })
    {
      return shortest
    }
    let near = names.map { (name: $0, distance: distance(name.lowercased(), $0.lowercased())) }
      .min { $0.distance < $1.distance }
    guard let near, near.distance <= max(2, near.name.count / 3) else { return nil }
    return near.name
  }

  /// Levenshtein's distance: insertions, deletions and replacements.
  static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, character) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let replaced = diagonal + (character == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[b.count]
  }
}
