import Dispatch
import Foundation
import RuntimeOperations

let futures: [RuntimeOperation: RuntimeContender.Performance] = [
  .promiseCallback: { count in
    let tally = Tally()
    for index in 0..<count {
      let promise = LockedPromise()
      promise.whenFulfilled { tally.add($0) }
      promise.fulfil(index)
    }
    return tally.sum
  },
  .allOfMany: { count in sumThroughGroup(count) },
  .taskGroup: { count in sumThroughGroup(count) },
  .mapChain: { count in
    let tally = Tally()
    var chain: (Int) -> Void = { tally.add($0) }
    for _ in 0..<count {
      let next = chain
      chain = opaque { next($0 + 1) }
    }
    chain(0)
    return tally.sum
  },
  .taskSequence: { count in
    let tally = Tally()
    let job = opaque { (index: Int, done: (Int) -> Void) in done(index) }
    for index in 0..<count { job(index) { tally.add($0) } }
    return tally.sum
  },
]

/// A value, a callback and a lock: what a promise is at least.
private final class LockedPromise {
  private let lock = NSLock()
  private var value: Int?
  private var callback: ((Int) -> Void)?

  func whenFulfilled(_ callback: @escaping (Int) -> Void) {
    let value = lock.withLock {
      if self.value == nil { self.callback = callback }
      return self.value
    }
    if let value { callback(value) }
  }

  func fulfil(_ value: Int) {
    let callback = lock.withLock {
      self.value = value
      // `take()` would wrap the closure in another one.
      let callback = self.callback
      self.callback = nil
      return callback
    }
    callback?(value)
  }
}

/// Enters for each, leaves for each with a value in its slot, and waits.
private func sumThroughGroup(_ count: Int) -> Int {
  let group = DispatchGroup()
  let lock = NSLock()
  var values = [Int](repeating: 0, count: count)
  for _ in 0..<count { group.enter() }
  for index in 0..<count {
    lock.withLock { values[index] = index }
    group.leave()
  }
  group.wait()
  return values.reduce(0, +)
}
