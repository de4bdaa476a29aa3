import Harness
import Results
import UploadScenario

struct Shard: Hashable {
  static let option = Option(
    "--shard", "I/N",
    "measure only part I of N; all parts take about as long, and are the same on every machine")
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

  /// Divides the scenarios among all shards. All contenders of a scenario are in one shard, because one machine must compare them.
  func record(_ scenarios: [Scenario], contenders: (Scenario) -> Int) -> ShardRecord {
    let costs = scenarios.map { $0.expectedSampleNanoseconds * Double(contenders($0)) }
    let shards = Self.deal(costs, among: count)
    return ShardRecord(
      number: number, count: count,
      scenarios: (0..<count).map { shard in
        scenarios.indices.filter { shards[$0] == shard }.map { scenarios[$0].name }
      })
  }

  /// The index of each scenario's shard. The most expensive scenarios are assigned first, each to the shard with the least cost so far
  /// (Graham, 1969: longest processing time first).
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
  /// A rough duration of a sample. It depends only on the scenario's parameters, so that every machine computes the same shards.
  var expectedSampleNanoseconds: Double {
    let uploads = Double(requestCount)
    var post = uploads * 1_000 + bytesNanoseconds
    switch service {
    case .latency, .blocking: post += waves * latency.usualNanoseconds * (pattern.prepares ? 2 : 1)
    default: break
    }
    if let cancelAfter { post = min(post, cancelAfter / .nanoseconds(1)) }
    // Shorter posts are repeated within a sample.
    return max(post, Double(RunPlan<Scenario>.usualSampleNanoseconds))
  }

  /// The number of requests that wait one after another: one for each group of concurrent uploads, and one for the post.
  private var waves: Double {
    let width = mostUnderWay ?? max(fanOut, 1)
    return Double((fanOut + width - 1) / width) + 1
  }

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
