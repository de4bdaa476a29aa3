import Results

extension ExactCounts {
  /// By the rule of ``CountedCell/exact(_:)``: what two processes or more have counted, each the same. nil if fewer have
  /// counted anything.
  init?(_ cell: Cell) {
    let counted = ExactCounts.countable.map { countable -> (name: String, processes: Int, values: Set<Int>) in
      let byProcess = Dictionary(grouping: cell.counted) { RoundKey($0).process }
        .mapValues { Set($0.compactMap(countable.value)) }.filter { !$0.value.isEmpty }
      return (countable.name, byProcess.count, byProcess.values.reduce(Set<Int>()) { $0.union($1) })
    }
    guard counted.contains(where: { $0.processes > 1 }) else { return nil }
    self.init(counted.filter { $0.processes > 1 && $0.values.count == 1 }.map(\.name))
  }
}
