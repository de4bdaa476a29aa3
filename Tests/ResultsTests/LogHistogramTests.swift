import Foundation
import Results
import TestSupport
import Testing

@Suite(.ownThread) struct LogHistogramTests {
  /// The largest value of every power of two, its neighbours, and everything in the range where buckets are exact.
  @Test func `every number is in a bucket no wider than promised`() {
    var values = Array(UInt64(0)...1_000)
    for power in 10..<64 {
      let edge = UInt64(1) << UInt64(power)
      values += [edge - 1, edge, edge + 1, edge + edge / 3]
    }
    values.append(.max)
    for value in values {
      var histogram = LogHistogram()
      histogram.add(value)
      let bucket = histogram.buckets[0]
      #expect(bucket.low <= value && value <= bucket.high)
      #expect(Double(bucket.high - bucket.low) <= Double(bucket.low) * LogHistogram.relativePrecision)
      #expect(histogram.max == value)
      #expect(histogram.percentile(0.5) == value)
    }
  }

  @Test func `buckets neither overlap nor leave a gap`() {
    var histogram = LogHistogram()
    // One of each of the first ten thousand.
    for value in 0..<10_000 as Range<UInt64> { histogram.add(value) }
    let buckets = histogram.buckets
    #expect(buckets[0].low == 0)
    #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.high + 1 == $1.low })
    #expect(buckets.dropLast().allSatisfy { $0.count == Int($0.high - $0.low) + 1 })
    #expect(buckets.reduce(0) { $0 + $1.count } == 10_000)
  }

  @Test(arguments: [0.01, 0.5, 0.9, 0.99, 0.999, 1])
  func `a percentile is the nearest rank within the precision`(share: Double) throws {
    var values: [UInt64] = []
    var value = 17.0
    while values.count < 20_000 {
      values.append(UInt64(value))
      value *= 1.000_5
    }
    var histogram = LogHistogram()
    for value in values.reversed() { histogram.add(value) }
    let exact = values.sorted()[Int((share * 20_000).rounded(.up)) - 1]
    let got = try #require(histogram.percentile(share))
    #expect(got >= exact)
    #expect(Double(got) <= Double(exact) * (1 + LogHistogram.relativePrecision))
  }

  @Test func `two histograms add up to one`() {
    var (a, b, both) = (LogHistogram(), LogHistogram(), LogHistogram())
    for value in stride(from: UInt64(3), to: 1_000_000, by: 7_919) {
      if value % 2 == 0 { a.add(value) } else { b.add(value) }
      both.add(value)
    }
    a.add(b)
    #expect(a == both)
  }

  @Test func `a histogram survives JSON`() throws {
    var histogram = LogHistogram()
    for value in [0, 5, 300, 5_000_000, .max] as [UInt64] { histogram.add(value) }
    #expect(try JSONDecoder().decode(LogHistogram.self, from: JSONEncoder().encode(histogram)) == histogram)
    let empty = LogHistogram()
    #expect(try JSONDecoder().decode(LogHistogram.self, from: JSONEncoder().encode(empty)) == empty)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(LogHistogram.self, from: Data("[5,99999999,1]".utf8))
    }
  }
}
