/// What elements are sorted by: a name, then numbers one after another, then another name.
///
/// All sorting of this module goes through this one type, of which the compiler makes one copy of the algorithm.
struct SortKey: Comparable {
  var first = ""
  var numbers: [Double] = []
  var last = ""

  static func < (left: SortKey, right: SortKey) -> Bool {
    if left.first != right.first { return left.first < right.first }
    for (one, other) in zip(left.numbers, right.numbers) where one != other { return one < other }
    return left.last < right.last
  }

  /// The places of the keys, smallest first; equal ones stay in their order.
  @inline(never) static func order(_ keys: [SortKey]) -> [Int] {
    keys.indices.sorted { keys[$0] < keys[$1] }
  }
}

extension Sequence {
  /// The elements by rising keys; those with equal ones stay in their order.
  func ordered(by key: (Element) -> SortKey) -> [Element] {
    let elements = Array(self)
    return SortKey.order(elements.map(key)).map { elements[$0] }
  }
}
