import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Sink", .ownThread)
struct SinkTests {
  @Test func `values, then the end`() {
    let log = Log<String>()
    let sink = (1...3).publisher.sink { _ in
      log.add("end")
    } receiveValue: {
      log.add("\($0)")
    }
    #expect(log.entries == ["1", "2", "3", "end"])
    sink.cancel()
    #expect(log.entries.count == 4)
  }

  @Test func `nothing comes after a cancellation, even from a publisher that goes on`() {
    let log = Log<Int>()
    let upstream = ManualPublisher<Int, Never>()
    let sink = upstream.sink { log.add($0) }
    upstream.send(1)
    sink.cancel()
    upstream.send(2)
    #expect(log.entries == [1])
    #expect(upstream.cancellations == 1)
  }

  @Test func `dropping the cancellable cancels`() {
    let upstream = ManualPublisher<Int, Never>()
    do { _ = upstream.sink { _ in } }
    #expect(upstream.cancellations == 1)
  }

  @Test func `a set keeps sinks alive until it is emptied`() {
    let upstream = ManualPublisher<Int, Never>()
    var set: Set<AnyCancellable> = []
    upstream.sink { _ in }.store(in: &set)
    #expect(upstream.cancellations == 0)
    set.removeAll()
    #expect(upstream.cancellations == 1)
  }
}
