import UploadScenario

/// The order in which the contenders of one scenario take their turns: a Williams design (E. J. Williams, 1949).
///
/// Over all rows each contender takes each position equally often and follows each other one equally often, so that
/// neither position nor predecessor can favour one. An odd number of contenders takes two squares.
package struct Schedule: Sendable {
  /// Each row lists contender indices in the order of their turns.
  package let rows: [[Int]]

  /// Rows are permuted, and contenders are assigned to the design's letters, by `seed`.
  package init(contenderCount count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = (0..<count).shuffled(using: &generator)
    let first = Self.firstRow(count)
    var rows = (0..<max(1, count)).map { shift in first.map { ($0 + shift) % count } }
    if count % 2 == 1, count > 1 { rows += rows.map { $0.reversed() } }
    self.rows = rows.map { $0.map { letters[$0] } }.shuffled(using: &generator)
  }

  /// The order of one round; rounds beyond the last row start again.
  package func order(round: Int) -> [Int] { rows[round % rows.count] }

  /// 0, 1, n−1, 2, n−2, …: neighbours differ by every distance once.
  private static func firstRow(_ count: Int) -> [Int] {
    (0..<count).map { position in
      position == 0 ? 0 : position % 2 == 1 ? (position + 1) / 2 : count - position / 2
    }
  }
}
