import Dispatch
import Foundation
import RuntimeOperations

/// Handwritten code that does the least work for each operation. It is the baseline of the ratios.
public let referenceOperations = RuntimeContender(
  name: RuntimeOperation.referenceName, summary: "the least that could do the job; each operation says what",
  implementations: coroutines.merging(channels) { $1 }.merging(futures) { $1 }.merging(streams) { $1 })

/// Returns the value in a way that the optimiser cannot see through.
@inline(never) func opaque<Value>(_ value: Value) -> Value { value }

let streams: [RuntimeOperation: RuntimeContender.Implementation] = [
  .sequenceToSink: summing { count, tally in
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count { sink(value) }
  },
  .subjectToSink: summing { count, tally in
    let lock = NSLock()
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count { lock.withLock { sink(value) } }
  },
  .mapFilterMap: summing { count, tally in
    let first = opaque { (value: Int) in value + 1 }
    let keeps = opaque { (value: Int) in value.isMultiple(of: 2) }
    let second = opaque { (value: Int) in value * 2 }
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count {
      let next = first(value)
      if keeps(next) { sink(second(next)) }
    }
  },
  .zip3: summing { count, tally in
    let sink = opaque { (tuple: (Int, Int, Int)) in tally.add(tuple.0 + tuple.1 + tuple.2) }
    let numbers = opaque(Array(0..<count))
    for index in 0..<count { sink((numbers[index], numbers[index], numbers[index])) }
  },
  .zipMany: summing { count, tally in
    let sink = opaque { (values: [Int]) in tally.add(values.reduce(0, +)) }
    var values: [Int] = []
    for value in 0..<count { values.append(opaque(value)) }
    sink(values)
  },
  .flatMap: summing { count, tally in
    let transform = opaque { (value: Int) in opaque { value } }
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count { sink(transform(value)()) }
  },
  .merge: summing { count, tally in
    let sink = opaque { (value: Int) in tally.add(value) }
    for _ in 0..<100 {
      for value in 0..<count / 100 { sink(value) }
    }
  },
]

let futures: [RuntimeOperation: RuntimeContender.Implementation] = [
  .promiseCallback: summing { count, tally in
    for index in 0..<count {
      let promise = LockedPromise()
      promise.whenFulfilled { tally.add($0) }
      promise.fulfil(index)
    }
  },
  .allOfMany: { count in sumThroughGroup(count) },
  .taskGroup: { count in sumThroughGroup(count) },
  .mapChain: summing { count, tally in
    var chain: (Int) -> Void = { tally.add($0) }
    for _ in 0..<count {
      let next = chain
      chain = opaque { next($0 + 1) }
    }
    chain(0)
  },
  .taskSequence: { count in
    let tally = Tally()
    let job = opaque { (index: Int, done: (Int) -> Void) in done(index) }
    for index in 0..<count { job(index) { tally.add($0) } }
    return tally.sum
  },
]

/// A minimal promise: a value, a callback and a lock.
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
      // Not `take()`, which would wrap the closure in another closure.
      let callback = self.callback
      self.callback = nil
      return callback
    }
    callback?(value)
  }
}

/// Enters a group `count` times, stores a value before each leave, waits for the group and adds up the values.
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
