import Dispatch

/// What is due when: a binary heap, the earliest first.
///
/// A row that has become meaningless stays until it is due; it holds two numbers and nothing else.
struct Agenda: Sendable {
  struct Row: Sendable {
    let time: DispatchTime
    let index: Int
    let number: Int
  }

  private var rows: [Row] = []

  var next: DispatchTime? { rows.first?.time }

  mutating func add(_ row: Row) {
    var child = rows.count
    rows.append(row)
    while child > 0, rows[child].time < rows[(child - 1) / 2].time {
      rows.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes out the earliest row if it is due.
  mutating func removeNext(dueBy now: DispatchTime) -> Row? {
    guard let first = rows.first, first.time <= now else { return nil }
    let last = rows.removeLast()
    guard !rows.isEmpty else { return first }
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < rows.count else { break }
      if child + 1 < rows.count, rows[child + 1].time < rows[child].time { child += 1 }
      guard rows[child].time < last.time else { break }
      rows[parent] = rows[child]
      parent = child
    }
    rows[parent] = last
    return first
  }
}
