extension Sequence where Element: Hashable {
  /// The elements without repetition, in the order of their first appearance.
  package func unique() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
