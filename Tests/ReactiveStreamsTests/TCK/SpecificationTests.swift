import ReactiveStreams
import TestSupport
import Testing

@Suite("The specification's rules and the kit's checks", .ownThread) struct SpecificationTests {
  static let checks =
    PublisherVerification<Just<Int>>.rules.map(\.name)
    + SubscriberVerification<Int, Never>.rules.map(\.name)
    + ProcessorVerification<Int, Never, Just<Int>>.rules.map(\.name)

  @Test func `every rule has a check or a reason for none`() {
    let checked = Set(Self.checks.map(Specification.number(ofCheck:)))
    for rule in Specification.rules {
      #expect((rule.reasonWithoutCheck == nil) == checked.contains(rule.number), "rule \(rule.number)")
    }
  }

  @Test func `every check is named after a rule, and no two are named alike`() {
    let numbers = Set(Specification.rules.map(\.number))
    for check in Self.checks { #expect(numbers.contains(Specification.number(ofCheck: check)), "\(check)") }
    #expect(Set(Self.checks).count == Self.checks.count)
    #expect(numbers.count == Specification.rules.count)
  }
}
