/// Ranks that admit ties.
public enum TieGroups {
  /// The group of each of `count` items, from 1 for the first, such that items that are not separated share one.
  ///
  /// Being inseparable is no equivalence: A ≈ B and B ≈ C do not make A ≈ C. Groups are closed over such chains, so
  /// two items of different groups are always separated, while two of the same group need not be inseparable.
  ///
  /// - Parameters:
  ///   - order: the items' indices, best first.
  ///   - isSeparated: whether two items differ for certain; asked once for each pair, the better first.
  public static func groups(order: [Int], isSeparated: (Int, Int) -> Bool) -> [Int: Int] {
    // The furthest position, in the order, that each position is tied to.
    let reach = order.indices.map { position in
      order.indices.last { $0 > position && !isSeparated(order[position], order[$0]) } ?? position
    }
    var groups: [Int: Int] = [:]
    var group = 1
    var end = 0
    for position in order.indices {
      if position > end { group += 1 }
      end = max(end, position, reach[position])
      groups[order[position]] = group
    }
    return groups
  }
}
