@testable import Exploration

extension Search {
  /// Random schedules that tell how many a reduced search would run: each by an estimate that is right on average.
  static func sizes(seed: UInt64, of count: Int, run: (Search) -> Void) -> [Double] {
    let search = Search(.uniform(seed: seed), journal: nil, isKept: true)
    return (0..<count).map { _ in
      _ = search.begin()
      run(search)
      return search.tree.estimatedSize()
    }
  }
}

extension ScheduleTree {
  /// How many schedules reduction leaves, estimated from the one that was kept: right on average over those that are drawn uniformly
  /// at each step. Such a schedule stands for as many as it had choices (Knuth, "Estimating the Efficiency of Backtrack Programs",
  /// Mathematics of Computation 29, 1975), of which those differ only in the order of independent steps that its own steps have orders.
  fileprivate mutating func estimatedSize() -> Double {
    var chances = 1.0
    for place in 0..<depth {
      chances *= Double(nodes[place].enabled.count)
      _ = races(of: place)
    }
    let pasts = nodes.prefix(depth).map(\.past)
    // How many orders lead to each set of steps that may have been done.
    var orders: [Bits: Double] = [Bits(): 1]
    for _ in 0..<depth {
      var next: [Bits: Double] = [:]
      for (done, count) in orders {
        for place in 0..<depth where !done.contains(place) && pasts[place].isSubset(of: done) {
          var more = done
          more.insert(place)
          next[more, default: 0] += count
        }
      }
      orders = next
    }
    return chances / orders.values.reduce(0, +)
  }
}
