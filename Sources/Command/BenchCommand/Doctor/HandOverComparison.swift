import Harness
import Results
import Statistics

/// What a hand-over between two threads takes as the machine is, and with processors kept awake.
enum HandOverComparison {
  /// By turns, since what else keeps processors awake changes within seconds.
  ///
  /// - Parameters:
  ///   - turns: how often each is measured.
  ///   - path: where the kernel takes the request to keep processors awake.
  ///   - measure: each hand-over of one turn, in nanoseconds.
  static func record(
    into record: inout MachineRecord, turns: Int = 4,
    path: String = LatencyRequest.path, measure: () -> [Double] = { HandOver.nanoseconds() }
  ) {
    var (asIs, awake): ([Double], [Double]) = ([], [])
    for _ in 0..<turns {
      asIs += measure()
      do throws(LatencyRequest.Refused) {
        let request = try LatencyRequest(path: path)
        awake += measure()
        request.end()
      } catch {
        record.awakeNeeds = error.description
      }
    }
    (record.handOver, record.awakeHandOver) = (HandOverPrice(asIs), HandOverPrice(awake))
  }
}

extension HandOverPrice {
  /// nil of none.
  init?(_ nanoseconds: [Double]) {
    guard let median = Quantiles.median(of: nanoseconds), let p90 = Quantiles.quantile(0.9, of: nanoseconds)
    else { return nil }
    self.init(medianNanoseconds: median, p90Nanoseconds: p90)
  }
}
