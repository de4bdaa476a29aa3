import RuntimeOperations
import Synchronization

let coroutines: [RuntimeOperation: RuntimeContender.Performance] = [
  .coroutineSwitch: { count in BareStack().run(rounds: count / 2) },
  .coroutineStart: { count in
    let tally = Tally()
    for index in 0..<count { opaque(StoredWork { tally.add(index) }).body() }
    return tally.sum
  },
  .coroutineStartSuspend: { count in
    let tally = Tally()
    for index in 0..<count {
      let work = opaque(StoredWork {})
      // The first half ends by storing the second.
      work.body = opaque { work.body = opaque { tally.add(index) } }
      work.body()
      work.body()
      work.body = {}
    }
    return tally.sum
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
  .awaitPending: { count in
    performAsync {
      let tally = Tally()
      for index in 0..<count {
        tally.add(await withUnsafeContinuation { $0.resume(returning: index) })
      }
      return tally.sum
    }
  },
  .suspended: suspend, .suspendedMillion: suspend,
]

private func suspend(_ count: Int) -> Int {
  let tally = Tally()
  let waiting = (0..<count).map { index in opaque(StoredWork { tally.add(index) }) }
  for work in waiting { work.body() }
  return tally.sum
}

private final class StoredWork {
  var body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

private final class FlaggedBox {
  let isReady = Atomic<Bool>(true)
  var value: Int?
}
