import Results

extension CountRanges {
  /// Of what two processes or more have counted, and not alike; nil if fewer have counted anything.
  init?(_ cell: Cell, exact: ExactCounts?) {
    guard let exact else { return nil }
    self.init(
      ExactCounts.countable.compactMap { countable in
        let counted = cell.counted.compactMap { sample in
          countable.value(sample).map { count in
            (
              process: RoundKey(sample).process,
              value: Double(count) / Double(sample.iterations) / cell.uploadsPerPost
            )
          }
        }
        let values = counted.map(\.value)
        guard !exact.names.contains(countable.name), Set(counted.map(\.process)).count > 1,
          let least = values.min(), let most = values.max()
        else { return nil }
        return Entry(name: countable.name, least: least, most: most)
      })
  }
}
