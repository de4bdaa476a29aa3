import ReactiveStreams
import Testing

/// With unlimited demand nothing is lost: all values of several publishers are passed on, however fast they come.
@Suite("Unlimited demand", .ownThread) struct UnlimitedDemandTests {
  typealias Subject = PassthroughSubject<Int, Never>

  @Test func `flatMap passes on what a sink sends from inside a value, before the end of that publisher`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<Int, Never>(onValue: { _, value in
      if value == 0 {
        for next in 1...3 { b.send(next) }
        b.send(completion: .finished)
      }
      return .none
    })
    [a, b].publisher.flatMap { $0 }.subscribe(probe)
    probe.request(.unlimited)
    a.send(0)
    a.send(completion: .finished)
    #expect(probe.values == [0, 1, 2, 3] && probe.completion == .finished)
    #expect(probe.violations == [])
  }

  enum Combining: CaseIterable { case merge, flatMap, concatMapEager, zip }

  private func demand(on source: ManualPublisher<Int, Never>, by combining: Combining) -> Probe<Int, Never> {
    let probe = Probe<Int, Never>()
    switch combining {
    case .merge: source.merge(with: Empty()).subscribe(probe)
    case .flatMap: Just(0).flatMap { _ in source }.subscribe(probe)
    case .concatMapEager: Just(0).concatMapEager { _ in source }.subscribe(probe)
    case .zip: source.zip(Empty<Int, Never>(completeImmediately: false)).map { $0.0 }.subscribe(probe)
    }
    return probe
  }

  @Test(arguments: Combining.allCases)
  func `unlimited demand is passed on, at the start and later`(_ combining: Combining) {
    let (early, late) = (ManualPublisher<Int, Never>(), ManualPublisher<Int, Never>())
    demand(on: early, by: combining).request(.unlimited)
    #expect(early.requested == .unlimited)
    let probe = demand(on: late, by: combining)
    probe.request(.max(1))
    #expect(late.requested == .max(1))
    probe.request(.unlimited)
    #expect(late.requested == .unlimited)
  }

  @Test(arguments: Combining.allCases)
  func `a publisher that waits is not read far ahead, whatever the demand`(_ combining: Combining) {
    let source = ManualPublisher<Int, Never>(waitsForDemand: true)
    demand(on: source, by: combining).request(.unlimited)
    #expect([.max(1), .max(64)].contains(source.requested))
  }
}
