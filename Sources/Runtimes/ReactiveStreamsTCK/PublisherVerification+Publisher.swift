import Foundation
import ReactiveStreams

extension PublisherVerification {
  static var publisherRules: [Rule] {
    [
      Rule(name: "1.1 no more than was requested") { kit in
        let (count, probe) = kit.subscribe(upTo: 3)
        var broken = kit.expect(probe.valueCount == 0, "1.1", "a value came before any request")
        for expected in 1...count {
          kit.request(.max(1), of: probe)
          broken += kit.expect(probe, has: expected, "1.1")
        }
        return broken + probe.violations
      },
      Rule(name: "1.1 requests add up") { kit in
        let (count, probe) = kit.subscribe(upTo: 10)
        kit.request(.max(1), of: probe)
        kit.request(.max(2), of: probe)
        return kit.expect(probe, has: min(3, count), "1.1") + probe.violations
      },
      Rule(name: "1.2 fewer than requested, then the end") { kit in
        [1, 3].filter { $0 <= kit.largestCount }.flatMap { count in
          let probe = kit.subscribe(count, TestProbe())
          kit.request(.max(count + 10), of: probe)
          return kit.expect(probe, has: count, "1.2") + kit.expectFinished(probe, "1.2") + probe.violations
        }
      },
      Rule(name: "1.3 signals are serial under requests from many threads") { kit in
        let count = min(2000, kit.largestCount)
        // Now and then a signal takes long enough for another thread to come in.
        let slow = TestProbe(
          keepsValues: false,
          onValue: { probe, _ in
            if probe.valueCount.isMultiple(of: 64) { Thread.sleep(forTimeInterval: 0.0001) }
            return .none
          })
        let probe = kit.subscribe(count, slow)
        // Threads of our own: a busy pool would run the requests one after another.
        let running = DispatchGroup()
        for _ in 0..<4 {
          running.enter()
          Thread.detachNewThread {
            for _ in 0..<(count / 4 + 1) { probe.request(.max(1)) }
            running.leave()
          }
        }
        running.wait()
        kit.settle()
        return kit.expect(probe, has: count, "1.3") + probe.violations
      },
      Rule(name: "1.4 a failure after the subscription, and nothing else") { kit in
        guard let makeFailed = kit.makeFailed else { return [] }
        let probe = TestProbe()
        makeFailed().subscribe(probe)
        kit.settle()
        _ = probe.wait(upTo: kit.patience) { $0.completion != nil }
        guard case .failure = probe.completion else {
          return [Violation(rule: "1.4", "no failure without a request")] + probe.violations
        }
        probe.request(.unlimited)
        kit.settle()
        return kit.expect(probe.valueCount == 0, "1.4", "values came with the failure") + probe.violations
      },
      Rule(name: "1.5 the end comes once, with the last value") { kit in
        let (count, probe) = kit.subscribe(upTo: 3)
        kit.request(.max(count), of: probe)
        return kit.expectFinished(probe, "1.5") + probe.violations
      },
      Rule(name: "1.7 nothing after the end") { kit in
        let probe = kit.subscribe(1, TestProbe())
        kit.request(.unlimited, of: probe)
        let ended = kit.expectFinished(probe, "1.7")
        kit.request(.max(10), of: probe)
        kit.request(.unlimited, of: probe)
        probe.cancel()
        return ended + kit.expect(probe, has: 1, "1.7") + probe.violations
      },
      Rule(name: "1.9 the subscription comes first") { kit in
        let probe = kit.subscribe(1, TestProbe())
        let subscribed = probe.wait(upTo: kit.patience) { $0.isSubscribed }
        return kit.expect(subscribed, "1.9", "no subscription came") + probe.violations
      },
      Rule(name: "1.11 several subscribers, each with its own demand") { kit in
        let count = min(3, kit.largestCount)
        let publisher = kit.make(count)
        let eager = TestProbe()
        let idle = TestProbe()
        publisher.subscribe(eager)
        publisher.subscribe(idle)
        kit.request(.unlimited, of: eager)
        let broken = kit.expect(eager, has: count, "1.11") + kit.expect(idle, has: 0, "1.11")
        kit.request(.unlimited, of: idle)
        return broken + kit.expect(idle, has: count, "1.11") + eager.violations + idle.violations
      },
    ]
  }
}
