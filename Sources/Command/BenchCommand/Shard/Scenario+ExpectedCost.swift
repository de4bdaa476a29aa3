import Harness
import UploadScenario

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
