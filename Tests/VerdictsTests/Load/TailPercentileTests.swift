import Verdicts
import Results
import TestSupport
import Testing

@Suite(.ownThread) struct TailPercentileTests {
  @Test(
    arguments: [(.p50, 20), (.p90, 100), (.p99, 1_000), (.p999, 10_000), (.p9999, 100_000)]
      as [(TailPercentile, Int)])
  func `a percentile needs ten numbers beyond it`(percentile: TailPercentile, fewest: Int) {
    #expect(percentile.fewestNumbers == fewest)
    var histogram = LogHistogram()
    for value in 1..<UInt64(fewest) { histogram.add(value) }
    #expect(percentile.value(of: histogram) == nil)
    histogram.add(UInt64(fewest))
    #expect(percentile.value(of: histogram) != nil)
  }
}
