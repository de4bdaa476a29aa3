import CContextSwitch
import RuntimeOperations
import Synchronization

let coroutines: [RuntimeOperation: RuntimeContender.Implementation] = [
  .coroutineSwitch: { count in BareStack().run(rounds: count / 2) },
  .coroutineStart: summing { count, tally in
    for index in 0..<count { opaque(StoredWork { tally.add(index) }).body() }
  },
  .coroutineStartSuspend: summing { count, tally in
    for index in 0..<count {
      let work = opaque(StoredWork {})
      // The first half of the work ends by storing a closure with the second half.
      work.body = opaque { work.body = opaque { tally.add(index) } }
      work.body()
      work.body()
      work.body = {}
    }
  },
  .awaitReady: { count in
    let tally = Tally()
    let box = opaque(FlaggedBox())
    for index in 0..<count {
      box.value = index
      if box.isReady.load(ordering: .acquiring), let value = box.value { tally.add(value) }
    }
    return tally.sum
  },
  .awaitResumed: summingAsync { count, tally in
    for index in 0..<count {
      tally.add(await withUnsafeContinuation { $0.resume(returning: index) })
    }
  },
  .awaitPending: summing { count, tally in
    for index in 0..<count { opaque(StoredWork { tally.add(index) }).body() }
  },
  .suspended: suspend, .suspendedMillion: suspend,
]

private let suspend = summing { count, tally in
  let waiting = (0..<count).map { index in opaque(StoredWork { tally.add(index) }) }
  for work in waiting { work.body() }
}

private final class StoredWork {
  var body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

private final class FlaggedBox {
  let isReady = Atomic<Bool>(true)
  var value: Int?
}

/// A second stack, to measure only the switch between stacks.
struct BareStack: ~Copyable {
  private static let byteCount = 64 * 1024

  /// The state that both stacks share, in raw memory, because exclusive access to a class property would span the switch.
  private struct Sides {
    var outside: UnsafeMutableRawPointer?
    var inside: UnsafeMutableRawPointer?
    var rounds = 0
  }

  // Invariant: `stack` is freed in deinit, when no code runs on it, because `run` always ends on the first stack.
  private let stack = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 16)
  private let sides = UnsafeMutablePointer<Sides>.allocate(capacity: 1)

  init() {
    sides.initialize(to: Sides())
    sides.pointee.inside = context_prepare(
      stack + Self.byteCount,
      { argument in
        let sides = argument!.assumingMemoryBound(to: Sides.self)
        while true {
          sides.pointee.rounds += 1
          context_switch(&sides.pointee.inside, sides.pointee.outside)
        }
      }, sides)
  }

  deinit {
    sides.deallocate()
    stack.deallocate()
  }

  /// Switches to the second stack and back `rounds` times. Returns how often the code on the second stack ran.
  func run(rounds: Int) -> Int {
    for _ in 0..<rounds { context_switch(&sides.pointee.outside, sides.pointee.inside) }
    return sides.pointee.rounds
  }
}
