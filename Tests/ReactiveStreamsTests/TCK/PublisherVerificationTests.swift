import ReactiveStreams
import TestSupport
import Testing

/// The kit itself: it must find publishers that break a rule on purpose.
@Suite("The kit finds broken publishers", .ownThread) struct PublisherVerificationTests {
  typealias Kit = PublisherVerification<FlawedPublisher>

  @Test(arguments: Kit.rules.map(\.name)) func `a publisher without a flaw breaks no rule`(_ rule: String) {
    #expect(kit(nil).violations(of: rule) == [])
  }

  @Test func `each rule has a publisher that breaks it`() {
    #expect(Set(FlawOfPublisher.allCases.flatMap(\.rules)) == Set(Kit.rules.map(\.name)))
  }

  /// Thread Sanitizer also reports overlapping signals.
  @Test(
    arguments: FlawOfPublisher.allCases.filter {
      ![.overlaps, .endsOnEachCancel].contains($0) || !isUnderThreadSanitizer
    })
  func `the kit finds`(_ flaw: FlawOfPublisher) {
    for rule in flaw.rules {
      let found = kit(flaw).violations(of: rule).map(\.rule)
      #expect(found.contains(flaw.shownRule ?? Specification.number(ofCheck: rule)), "by \(rule)")
    }
  }

  private func kit(_ flaw: FlawOfPublisher?) -> Kit {
    Kit(
      largestCount: 2000, longCount: 100, timeout: flaw == nil ? .seconds(10) : .milliseconds(20),
      makeFailed: { FlawedPublisher(count: 0, fails: true, flaw: flaw) },
      make: { FlawedPublisher(count: $0, fails: false, flaw: flaw) })
  }
}
