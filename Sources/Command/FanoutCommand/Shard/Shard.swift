import Harness
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

extension Scenario {
  /// About how long a sample of it takes one contender, in nanoseconds, told from its data alone.
  ///
  /// Sums and products of whole numbers and nothing drawn, so that every machine comes to the same. It only has to be in
  /// proportion: what each upload costs is what it costs on the reference machine, to one digit.
  var expectedSampleNanoseconds: Double {
    let uploads = Double(requestCount)
    var post = uploads * 1_000 + bytesNanoseconds
    switch service {
    case .latency, .blocking: post += waves * latency.usualNanoseconds * (pattern.prepares ? 2 : 1)
    default: break
    }
    if let cancelAfter { post = min(post, cancelAfter / .nanoseconds(1)) }
    // Shorter ones are repeated until a sample is long enough to be timed.
    return max(post, Double(RunPlan<Scenario>.usualSampleNanoseconds))
  }

  /// How often something must be waited for, one after the other.
  private var waves: Double {
    let width = mostUnderWay ?? max(fanOut, 1)
    return Double((fanOut + width - 1) / width) + 1
  }

  /// What the bytes take, where they are touched at all.
  private var bytesNanoseconds: Double {
    let bytes = Double(fanOut) * Double(payloadBytes)
    let prepared = pattern.prepares ? bytes * Double(preparePasses) : 0
    switch service {
    case .instant, .latency, .blocking: return prepared
    default:
      let each = syncsToDisk ? 1_000_000.0 : 50_000
      return prepared + bytes + Double(fanOut) * each
    }
  }
}

extension LatencyModel {
  fileprivate var usualNanoseconds: Double {
    switch self {
    case .fixed(let nanoseconds), .straggler(let nanoseconds, _, _): Double(nanoseconds)
    case .logNormal(let median, _): Double(median)
    }
  }
}
