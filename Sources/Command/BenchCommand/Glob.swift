import Results

/// A name in which each `*` stands for any characters, `/` included.
struct Glob {
  let text: String

  init(_ text: String) { self.text = text }

  var hasWildcard: Bool { text.contains("*") }

  func matches(_ name: String) -> Bool {
    let parts = text.unicodeScalars.split(separator: "*", omittingEmptySubsequences: false)
    var rest = name.unicodeScalars[...]
    guard rest.starts(with: parts[0]) else { return false }
    if parts.count == 1 { return rest.count == parts[0].count }
    rest = rest.dropFirst(parts[0].count)
    // As little as possible for each star leaves the most to those behind it.
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    let last = parts[parts.count - 1]
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}

extension Glob {
  /// What names and globs stand for, each once, in their order and that of the known ones.
  static func names(
    _ texts: [String], _ kind: String, among known: [String], _ aliases: AliasTable = AliasTable()
  )
    throws -> [String]
  {
    try texts.flatMap { text -> [String] in
      let glob = Glob(text)
      let matches = known.filter(glob.matches)
      if !matches.isEmpty { return matches }
      return [try aliases.name(text, kind, among: known)]
    }.unique()
  }
}
