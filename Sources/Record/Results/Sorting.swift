// In this module so that the modules above call one generic copy, where they would compile one for each type of element.

/// What elements are sorted by: a name, then numbers one after another, then another name.
package struct SortKey: Comparable {
  var first = ""
  var numbers: [Double] = []
  var last = ""

  package init(first: String = "", numbers: [Double] = [], last: String = "") {
    (self.first, self.numbers, self.last) = (first, numbers, last)
  }

  package static func < (left: SortKey, right: SortKey) -> Bool {
    if left.first != right.first { return left.first < right.first }
    for (one, other) in zip(left.numbers, right.numbers) where one != other { return one < other }
    return left.last < right.last
  }
}

extension Sequence {
  /// The elements by rising keys; those with equal ones stay in their order.
  package func ordered(by key: (Element) -> SortKey) -> [Element] {
    let keyed = map { (key: key($0), element: $0) }
    return keyed.indices.sorted { keyed[$0].key < keyed[$1].key }.map { keyed[$0].element }
  }

  /// The elements by what they have in common, in their order.
  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [Key: [Element]] {
    Dictionary(grouping: self, by: key)
  }

  /// What each element stands for, by its key; of equal keys the first counts.
  package func keyed<Key: Hashable, Value>(_ pair: (Element) -> (Key, Value)) -> [Key: Value] {
    Dictionary(map(pair)) { first, _ in first }
  }
}

extension Sequence where Element: Hashable {
  /// The elements without repetition, in the order of their first appearance.
  package func unique() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
