import Harness
import Results
import Verdicts

/// How much memory each build holds while the work is under way, which pairs of times say nothing of.
struct MemoryComparison<Work: Workload> {
  /// Fresh processes of each build for a cell.
  static var processes: Int { 5 }

  let isInterrupted: () -> Bool
  let launcher: (DuetSide) -> any WorkerLauncher<SampleRequest<Work>>

  /// A row for each cell that is large enough and whose memory is known; nil: the user ended it.
  func rows(of cells: [(contender: String, key: CellKey)], in works: [Work]) -> [CheckRow]? {
    var rows: [CheckRow] = []
    for (contender, key) in cells {
      guard let work = works.first(where: { $0.name == key.scenario }), work.hasMemory else { continue }
      var bytes: [DuetSide: [Int]] = [:]
      for _ in 0..<Self.processes {
        for side in DuetSide.allCases {
          let pool = WorkerPool(launcher(side), isInterrupted: isInterrupted)
          defer { pool.stop() }
          let request = SampleRequest(scenario: work, iterations: 1, purpose: .memory)
          guard let reply = pool.ask(contender, request) else { return nil }
          if let held = reply.inFlightBytes { bytes[side, default: []].append(held) }
        }
      }
      let row = CheckRow(bytesOf: key, base: bytes[.base] ?? [], candidate: bytes[.candidate] ?? [])
      if let row { rows.append(row) }
    }
    return rows
  }
}
