import Foundation
import ReactiveStreams
import TestSupport
import Testing

/// The values that a zip keeps, seen from outside.
@Suite("Lanes", .ownThread) struct LaneTests {
  @Test(arguments: [1, 4, 5, 64, 65, 1000]) func `values come out in order, however many wait`(_ count: Int) {
    let source = (0..<count).publisher
    let gate = PassthroughSubject<Int, Never>()
    let probe = Probe<[Int], Never>()
    source.zip(gate).map { [$0, $1] }.subscribe(probe)
    probe.request(.unlimited)
    // One at a time, then in bursts: the waiting values move between the few first places and the many.
    for value in 0..<count { gate.send(value) }
    #expect(probe.values == (0..<count).map { [$0, $0] } && probe.completion == .finished)
  }

  @Test func `only values beyond a source's room are dropped`() {
    let (unlawful, other) = (ManualPublisher<Int, Never>(), ManualPublisher<Int, Never>())
    let probe = Probe<Int, Never>()
    unlawful.zip(other).map { $0.0 }.subscribe(probe)
    probe.request(.max(1000))
    for value in 0..<100 { unlawful.send(value) }
    for value in 0..<100 { other.send(value) }
    #expect(probe.values == Array(0..<64))
  }

  @Test(arguments: [0, 3, 60]) func `waiting values are released with the stream`(_ count: Int) {
    let alive = Counter()
    let source = ManualPublisher<Witness, Never>()
    let zipped = Probe<Int, Never>()
    source.zip(Empty<Int, Never>(completeImmediately: false)).map { $0.1 }.subscribe(zipped)
    zipped.request(.unlimited)
    for _ in 0..<count { source.send(Witness(alive)) }
    #expect(alive.current == count)
    zipped.cancel()
    #expect(alive.current == 0)
  }

  @Test(arguments: 0..<20)
  func `sources on three threads and a cancellation in between lose nothing and crash nothing`(_ seed: Int) {
    let alive = Counter()
    let length = 50 * seed
    let stop = seed * 7919 % (length + 1)
    let log = Log<Int>()
    do {
      let subjects = (0..<3).map { _ in PassthroughSubject<Witness, Never>() }
      let buffered = subjects.map { $0.buffer(size: 1000, whenFull: .suspendUpstream) }
      let slot = Log<AnyCancellable>()
      slot.append(
        buffered.zip().sink { values in
          log.append(values.count)
          if log.entries.count == stop { for sink in slot.entries { sink.cancel() } }
        })
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        for _ in 0..<length { subjects[index].send(Witness(alive)) }
      }
    }
    #expect(log.entries.count == (stop == 0 ? length : min(stop, length)))
    #expect(alive.current == 0)
  }
}
