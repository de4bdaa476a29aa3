import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct LimitSearchTests {
  /// Runs a search to its end against a made-up contender.
  private func search(
    start: Double = 100, precision: Double = 0.1, bounds: ClosedRange<Double> = 1...1_000_000,
    _ finding: (_ rate: Double, _ count: Int) -> LimitSearch.Answer
  ) -> LimitSearch {
    var search = LimitSearch(start: start, precision: precision, bounds: bounds)
    while let rate = search.next {
      #expect(bounds.contains(rate))
      search.record(finding(rate, search.count), at: rate)
      guard search.count < 500 else {
        Issue.record("the search does not end")
        break
      }
    }
    return search
  }

  @Test(arguments: [1.5, 37, 100, 101, 777, 54_321, 999_999], [0.01, 0.1, 0.5])
  func `the limit lies in an interval as narrow as asked`(limit: Double, precision: Double) throws {
    let search = search(precision: precision) { rate, _ in rate <= limit ? .held : .missed }
    let (held, missed) = (try #require(search.held), try #require(search.missed))
    #expect(held <= limit && limit < missed)
    #expect(missed / held <= 1 + precision + 1e-9)
    #expect(search.isMonotone)
    #expect(search.count < 60)
  }

  @Test(arguments: [(.missed, nil, 1), (.held, 1_000_000, nil)] as [(LimitSearch.Answer, Double?, Double?)])
  func `one answer to all leads to a bound`(answer: LimitSearch.Answer, held: Double?, missed: Double?) {
    let search = search { _, _ in answer }
    #expect((search.held, search.missed) == (held, missed))
  }

  /// Any single window may be wrong, so its answer is checked.
  @Test(arguments: 0..<20)
  func `one wrong window changes nothing`(wrong: Int) throws {
    let search = search { rate, count in
      let isHeld = rate <= 777
      return (count == wrong ? !isHeld : isHeld) ? .held : .missed
    }
    #expect(try #require(search.held) <= 777)
    #expect(try #require(search.held) > 777 / 1.3)
    #expect(try #require(search.missed) > 777)
  }

  /// A rate that bad luck misses twice is found by the rate above it.
  @Test func `a rate missed by bad luck is measured again`() throws {
    var unlucky = 0
    let search = search(start: 100) { rate, _ in
      if rate == 400, unlucky < 2 {
        unlucky += 1
        return .missed
      }
      return rate <= 5_000 ? .held : .missed
    }
    #expect(unlucky == 2)
    #expect(try #require(search.held) > 4_500 / 1.1)
    #expect(!search.isMonotone)
  }

  /// A contender that fails below its limit is not reported as fine.
  @Test func `a hole below the limit is seen`() throws {
    let search = search(start: 100) { rate, _ in
      (560...620).contains(rate) || rate > 800 ? .missed : .held
    }
    #expect((720...800).contains(try #require(search.held)))
    #expect(!search.isMonotone)
  }

  @Test func `a rate that no window decides bounds the limit and is reported`() throws {
    let search = search { rate, _ in rate <= 500 ? .held : .unclear }
    #expect(try #require(search.held) <= 500)
    #expect(search.isLimitUnclear)
    #expect(search.count < 60)
  }

  @Test func `an unclear window is measured again`() throws {
    let search = search { rate, count in
      if count % 3 == 1 { return .unclear }
      return rate <= 500 ? .held : .missed
    }
    #expect((450...500).contains(try #require(search.held)))
    #expect(!search.isLimitUnclear)
  }
}
