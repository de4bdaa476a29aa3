import ReactiveStreams
import TestSupport
import Testing

@Suite("Collect", .ownThread) struct CollectTests {
  @Test func `nothing is requested before the first demand, then everything`() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<[Int], Never>()
    upstream.collect().subscribe(probe)
    #expect(upstream.requests == [])
    probe.request(.max(1))
    probe.request(.max(1))
    #expect(upstream.requests == [.unlimited])
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(probe.values == [[1, 2]])
    #expect(probe.completion == .finished)
  }

  @Test func `an empty upstream makes an empty array, on demand`() {
    let probe = Probe<[Int], Never>()
    Empty<Int, Never>().collect().subscribe(probe)
    #expect(probe.completion == nil)
    probe.request(.max(1))
    #expect(probe.values == [[]])
  }
}
