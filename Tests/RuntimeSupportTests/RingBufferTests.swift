import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct RingBufferTests {
  @Test(arguments: [1, 2, 3, 7, 8, 100]) func `it is a queue however it wraps and grows`(step: Int) {
    var buffer = RingBuffer<Int>()
    var (appended, removed) = (0, 0)
    for round in 0..<40 {
      for _ in 0..<(step + round % 3) {
        buffer.append(appended)
        appended += 1
      }
      for _ in 0..<min(step, buffer.count) {
        let first = buffer.removeFirst()
        #expect(first == removed)
        removed += 1
      }
    }
    while !buffer.isEmpty {
      let first = buffer.removeFirst()
      #expect(first == removed)
      removed += 1
    }
    #expect(removed == appended)
  }

  @Test func `it releases what it holds and nothing else`() {
    let census = Counter()
    do {
      var buffer = RingBuffer<Witness>()
      for _ in 0..<5 { buffer.append(Witness(census)) }
      for _ in 0..<3 { _ = buffer.removeFirst() }
      // They wrap around the end.
      for _ in 0..<4 { buffer.append(Witness(census)) }
      #expect(census.current == 6)
      _ = consume buffer
    }
    #expect(census.current == 0)
  }
}
