import Foundation
import ReactiveStreams

extension PublisherVerification {
  static var subscriptionRules: [Rule] {
    [
      Rule(name: "3.2 requests from inside signals") { kit in
        let count = min(5, kit.largestCount)
        let probe = TestProbe(
          onSubscription: { $0.request(.max(1)) },
          onValue: { probe, _ in
            probe.request(.max(1))
            return .none
          })
        _ = kit.subscribe(count, probe)
        return kit.expect(probe, has: count, "3.2") + kit.expectFinished(probe, "3.2") + probe.violations
      },
      Rule(name: "3.3 no recursion through request") { kit in
        let count = min(kit.longCount, kit.largestCount)
        let probe = TestProbe(
          keepsValues: false,
          onValue: { probe, _ in
            probe.request(.max(1))
            return .none
          })
        _ = kit.subscribe(count, probe)
        kit.request(.max(1), of: probe)
        let broken = kit.expect(probe, has: count, "3.3")
        let depth = probe.deepestSignal
        return broken + kit.expect(depth <= 1, "3.3", "signals went \(depth) deep") + probe.violations
      },
      Rule(name: "3.5 cancel races with itself and with requests") { kit in
        (0..<200).flatMap { _ in
          let probe = kit.subscribe(upTo: 10).probe
          DispatchQueue.concurrentPerform(iterations: 3) { index in
            if index == 0 { probe.request(.max(2)) } else { probe.cancel() }
          }
          return probe.violations
        }
      },
      Rule(name: "3.5 cancelling from inside the subscription") { kit in
        let probe = TestProbe(onSubscription: {
          $0.request(.max(1))
          $0.cancel()
        })
        _ = kit.subscribe(min(3, kit.largestCount), probe)
        kit.request(.unlimited, of: probe)
        return kit.expectSilence(probe, "3.5")
      },
      Rule(name: "3.6 requests after a cancellation do nothing") { kit in
        let probe = kit.subscribe(upTo: 3).probe
        probe.cancel()
        kit.request(.max(1), of: probe)
        kit.request(.unlimited, of: probe)
        return kit.expectSilence(probe, "3.6")
      },
      Rule(name: "3.7 cancelling again does nothing") { kit in
        let probe = kit.subscribe(upTo: 3).probe
        for _ in 0..<3 { probe.cancel() }
        kit.settle()
        return kit.expectSilence(probe, "3.7")
      },
      Rule(name: "3.9 a request for nothing brings nothing") { kit in
        let probe = kit.subscribe(1, TestProbe())
        kit.request(.none, of: probe)
        let before = kit.expect(probe, has: 0, "3.9")
        kit.request(.max(1), of: probe)
        return before + kit.expect(probe, has: 1, "3.9") + probe.violations
      },
      Rule(name: "3.12 values stop after a cancellation from inside a value") { kit in
        let probe = TestProbe(
          onValue: { probe, _ in
            probe.cancel()
            return .none
          })
        _ = kit.subscribe(min(10, kit.largestCount), probe)
        kit.request(.max(10), of: probe)
        return kit.expect(probe, has: 1, "3.12") + probe.violations
      },
      Rule(name: "3.13 the subscriber is dropped after a cancellation") { kit in
        kit.expectDropped("3.13") { probe in
          probe.request(.max(1))
          kit.settle()
          probe.cancel()
        }
      },
      Rule(name: "3.13 the subscriber is dropped after a cancellation without any request") { kit in
        kit.expectDropped("3.13") { $0.cancel() }
      },
      Rule(name: "3.13 the subscriber is dropped after the end") { kit in
        kit.expectDropped("3.13") { probe in
          probe.request(.unlimited)
          kit.settle()
          _ = probe.wait(upTo: kit.patience) { $0.completion != nil }
        }
      },
      Rule(name: "3.17 the largest demand") { kit in
        let (count, probe) = kit.subscribe(upTo: 3)
        kit.request(.max(.max), of: probe)
        return kit.expect(probe, has: count, "3.17") + kit.expectFinished(probe, "3.17") + probe.violations
      },
      Rule(name: "3.17 demand saturates") { kit in
        let count = min(3, kit.largestCount)
        let probe = TestProbe(
          onSubscription: {
            $0.request(.max(.max / 2))
            $0.request(.max(.max / 2))
            $0.request(.max(1))
          },
          onValue: { probe, _ in
            probe.request(.max(.max - 1))
            return .unlimited
          })
        _ = kit.subscribe(count, probe)
        return kit.expect(probe, has: count, "3.17") + kit.expectFinished(probe, "3.17") + probe.violations
      },
    ]
  }

  /// Runs `act` on a subscribed probe and reports when the publisher still holds the probe afterwards.
  private func expectDropped(_ rule: String, after act: (TestProbe) -> Void) -> [Violation] {
    weak var dropped: TestProbe?
    var held: (any Subscription)?
    var broken: [Violation] = []
    do {
      let probe = subscribe(min(3, largestCount), TestProbe())
      dropped = probe
      act(probe)
      settle()
      held = probe.subscription
      broken = probe.violations
      probe.forget()
    }
    // The subscription stays alive: it, and not its deinit, has to let go.
    return withExtendedLifetime(held) {
      // The publisher's own thread may still be on its way out of the signal that woke this one.
      let isDropped = wait(upTo: patience) { dropped == nil }
      return broken + expect(isDropped, rule, "the subscriber is still referenced")
    }
  }
}
