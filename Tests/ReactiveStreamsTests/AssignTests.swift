import ReactiveStreams
import ReactiveStreamsTCK
import Synchronization
import TestSupport
import Testing

@Suite("Assign", .ownThread)
struct AssignTests {
  private final class Target: Sendable {
    private let stored = Mutex(0)
    var value: Int {
      get { stored.withLock { $0 } }
      set { stored.withLock { $0 = newValue } }
    }
  }

  @Test(arguments: [Holding.strongly, .weakly])
  func `each value is written until the stream is cancelled`(_ holding: Holding) {
    let upstream = ManualPublisher<Int, Never>()
    let target = Target()
    let sink = upstream.assign(to: \.value, on: target, holding: holding)
    upstream.send(1)
    #expect(target.value == 1)
    sink.cancel()
    upstream.send(2)
    #expect(target.value == 1 && upstream.cancellations == 1)
  }

  @Test func `an object that is held strongly lives until the stream ends`() {
    let upstream = ManualPublisher<Int, Never>()
    weak var held: Target?
    let sink: AnyCancellable
    do {
      let target = Target()
      held = target
      sink = upstream.assign(to: \.value, on: target)
    }
    #expect(held != nil)
    upstream.send(completion: .finished)
    #expect(held == nil)
    sink.cancel()
  }

  @Test func `an object that is held weakly goes, and the next value cancels the stream`() {
    let upstream = ManualPublisher<Int, Never>()
    weak var held: Target?
    let sink: AnyCancellable
    do {
      let target = Target()
      held = target
      sink = upstream.assign(to: \.value, on: target, holding: .weakly)
    }
    #expect(held == nil && upstream.cancellations == 0)
    upstream.send(1)
    #expect(upstream.cancellations == 1)
    sink.cancel()
  }
}
