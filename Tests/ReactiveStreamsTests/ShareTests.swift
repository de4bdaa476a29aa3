import Foundation
import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Share", .ownThread)
struct ShareTests {
  private let upstream = ManualPublisher<Int, TestError>()
  private let probes = (0..<3).map { _ in Probe<Int, TestError>() }

  @Test func `the upstream is subscribed to once, and cancelled by the last to leave`() {
    let shared = upstream.share()
    for probe in probes { shared.subscribe(probe) }
    #expect(upstream.subscriptions == 1)
    probes[0].cancel()
    probes[1].cancel()
    #expect(upstream.cancellations == 0)
    probes[2].cancel()
    #expect(upstream.cancellations == 1)
    shared.subscribe(Probe())
    #expect(upstream.subscriptions == 2)
  }

  @Test func `the slowest sets the pace, and sets it free by leaving`() {
    let shared = upstream.share()
    for probe in probes { shared.subscribe(probe) }
    probes[0].request(.unlimited)
    probes[1].request(.max(3))
    #expect(upstream.requested == .none)
    probes[2].request(.max(1))
    #expect(upstream.requested == .max(1))
    upstream.send(1)
    #expect(probes.map(\.values) == [[1], [1], [1]])
    probes[2].cancel()
    #expect(upstream.requested == .max(3))
    probes[1].request(.unlimited)
    #expect(upstream.requested == .unlimited)
  }

  @Test func `each gets all values from when it came, whenever it asks for them`() {
    let shared = upstream.share()
    shared.subscribe(probes[0])
    probes[0].request(.max(3))
    upstream.send(1)
    shared.subscribe(probes[1])
    upstream.send(2)
    upstream.send(3)
    #expect(probes[0].values == [1, 2, 3] && probes[1].values == [])
    upstream.send(completion: .finished)
    #expect(probes[0].completion == .finished && probes[1].completion == nil)
    probes[1].request(.max(2))
    #expect(probes[1].values == [2, 3] && probes[1].completion == .finished)
    #expect(probes[1].violations == [])
  }

  @Test func `a failure reaches every subscriber at once, also those that have asked for nothing`() {
    let shared = upstream.share()
    for probe in probes { shared.subscribe(probe) }
    upstream.send(completion: .failure(TestError()))
    #expect(probes.allSatisfy { $0.completion == .failure(TestError()) })
    shared.subscribe(Probe())
    #expect(upstream.subscriptions == 2)
  }

  @Test func `subscribers on many threads see one order, and those that leave disturb nobody`() {
    let shared = (0..<5000).publisher.receive(on: DispatchQueue(label: "shared")).share()
    let stay = (0..<3).map { _ in Probe<Int, Never>(onValue: { _, _ in .max(1) }) }
    for probe in stay { shared.subscribe(probe) }
    for probe in stay { probe.request(.max(1)) }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<50 {
        let guest = Probe<Int, Never>(onValue: { _, _ in .max(2) })
        shared.subscribe(guest)
        // Whoever is in the hub's mailbox hands out the subscription.
        #expect(guest.wait { $0.isSubscribed })
        guest.request(.max(1))
        guest.cancel()
        // Whatever it got was in order and without gaps.
        #expect(guest.violations == [])
        let values = guest.values
        let first = values.first ?? 0
        #expect(values == Array(first..<first + values.count))
      }
    }
    for probe in stay {
      #expect(probe.wait { $0.completion != nil })
      #expect(probe.values == Array(0..<5000) && probe.violations == [])
    }
  }
}
