import Analysis
import Results

/// Whether runs that are shards make up a whole.
struct ShardCover {
  /// A sentence for each shard that is missing; empty if none is.
  let missing: [String]

  /// Throws a usage error if shards are of different wholes.
  init(_ parts: [MergePart]) throws {
    let shards = parts.flatMap { part in part.runs.compactMap { $0.shard.map { (part.path, $0) } } }
    var missing: [String] = []
    for count in Set(shards.map(\.1.count)).sorted() {
      let alike = shards.filter { $0.1.count == count }
      let dealt = alike[0].1.scenarios
      if let (path, _) = alike.first(where: { $0.1.scenarios != dealt }) {
        throw UsageError(
          "\(path) and \(alike[0].0) are shards of \(count), but not of the same scenarios: record all shards with the same options."
        )
      }
      let times = (1...count).map { number in alike.count { $0.1.number == number } }
      let most = times.max() ?? 0
      for (index, count) in times.enumerated() where count < most && !dealt[index].isEmpty {
        let names = dealt[index].joined(separator: ", ")
        let what = "shard \(index + 1) of \(times.count)"
        missing.append(
          count == 0
            ? "\(what) is missing: \(names)"
            : "\(what) is there \(Plural.counted(count, "time")) and others \(most) times: \(names)")
      }
    }
    self.missing = missing
  }
}
