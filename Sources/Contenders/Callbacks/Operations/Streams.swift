import Foundation
import RuntimeOperations

let streams: [RuntimeOperation: RuntimeContender.Performance] = [
  .sequenceToSink: { count in
    let tally = Tally()
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count { sink(value) }
    return tally.sum
  },
  .subjectToSink: { count in
    let tally = Tally()
    let lock = NSLock()
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count { lock.withLock { sink(value) } }
    return tally.sum
  },
  .mapFilterMap: { count in
    let tally = Tally()
    let first = opaque { (value: Int) in value + 1 }
    let keeps = opaque { (value: Int) in value.isMultiple(of: 2) }
    let second = opaque { (value: Int) in value * 2 }
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count {
      let next = first(value)
      if keeps(next) { sink(second(next)) }
    }
    return tally.sum
  },
  .zip3: { count in
    let tally = Tally()
    let sink = opaque { (tuple: (Int, Int, Int)) in tally.add(tuple.0 + tuple.1 + tuple.2) }
    let numbers = opaque(Array(0..<count))
    for index in 0..<count { sink((numbers[index], numbers[index], numbers[index])) }
    return tally.sum
  },
  .zipMany: { count in
    let tally = Tally()
    let sink = opaque { (values: [Int]) in tally.add(values.reduce(0, +)) }
    var values: [Int] = []
    for value in 0..<count { values.append(opaque(value)) }
    sink(values)
    return tally.sum
  },
  .flatMap: { count in
    let tally = Tally()
    let transform = opaque { (value: Int) in opaque { value } }
    let sink = opaque { (value: Int) in tally.add(value) }
    for value in 0..<count { sink(transform(value)()) }
    return tally.sum
  },
  .merge: { count in
    let tally = Tally()
    let sink = opaque { (value: Int) in tally.add(value) }
    for _ in 0..<100 {
      for value in 0..<count / 100 { sink(value) }
    }
    return tally.sum
  },
]
