import ReactiveStreams
import TestSupport
import Testing

@Suite("Buffer", .ownThread) struct BufferTests {
  @Test func `a suspending buffer requests what it has room for, in halves`() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.buffer(size: 4, whenFull: .suspendUpstream).subscribe(probe)
    #expect(upstream.requests == [.none, .max(4)] || upstream.requests == [.max(4)])
    for value in 1...4 { upstream.send(value) }
    probe.request(.max(1))
    #expect(upstream.requested == .max(4))
    probe.request(.max(1))
    #expect(upstream.requested == .max(6))
    #expect(probe.values == [1, 2])
  }

  @Test func `a failure overtakes waiting values`() {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.buffer(size: 4, whenFull: .suspendUpstream).subscribe(probe)
    upstream.send(1)
    upstream.send(completion: .failure(TestError()))
    #expect(probe.values == [] && probe.completion == .failure(TestError()))
  }
}
