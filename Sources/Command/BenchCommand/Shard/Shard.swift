import Results
import UploadScenario

/// Which part of a run is to be measured: `--shard 2/4`.
struct Shard: Hashable {
  static let option = Option(
    "--shard", "I/N", "only the I-th of N parts: scenarios are dealt by expected cost, alike on every machine"
  )
  static let most = 1_000

  let number: Int
  let count: Int

  init(_ text: String) throws {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], (1...Self.most).contains(count),
      (1...count).contains(number)
    else {
      throw UsageError(
        "--shard “\(text)”: give I/N, such as 2/4, with I from 1 to N and N of at most \(Self.most).")
    }
    self.number = number
    self.count = count
  }

  /// Says of every shard which scenarios are its own.
  ///
  /// All contenders of a scenario stay together, because verdicts pair samples of one round on one machine. A shard may be
  /// left with none.
  ///
  /// - Parameter contenders: how many take part in a scenario.
  func record(_ scenarios: [Scenario], contenders: (Scenario) -> Int) -> ShardRecord {
    let costs = scenarios.map { $0.expectedSampleNanoseconds * Double(contenders($0)) }
    let shards = Self.deal(costs, among: count)
    return ShardRecord(
      number: number, count: count,
      scenarios: (0..<count).map { shard in
        scenarios.indices.filter { shards[$0] == shard }.map { scenarios[$0].name }
      })
  }

  /// The shard of each, from 0: the dearest first, each to whoever has least so far (Graham, 1969: longest processing
  /// time first). Among equals the earlier one counts as dearer, and the first shard as having less.
  static func deal(_ costs: [Double], among count: Int) -> [Int] {
    var loads = [Double](repeating: 0, count: count)
    var shards = [Int](repeating: 0, count: costs.count)
    for item in costs.indices.sorted(by: { (-costs[$0], $0) < (-costs[$1], $1) }) {
      let least = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
      shards[item] = least
      loads[least] += costs[item]
    }
    return shards
  }
}
