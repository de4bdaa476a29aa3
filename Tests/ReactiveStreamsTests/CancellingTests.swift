import ReactiveStreams
import TestSupport
import Testing

@Suite("Cancelling", .ownThread) struct CancellingTests {
  @Test func `a cancellable cancels once, however often it is called`() {
    let upstream = ManualPublisher<Int, Never>()
    var cancellable: AnyCancellable? = AnyCancellable(upstream as any Subscription)
    cancellable?.cancel()
    cancellable?.cancel()
    cancellable = nil
    #expect(upstream.cancellations == 1)
  }

  @Test func `a cancellable cancels when it is released`() {
    let upstream = ManualPublisher<Int, Never>()
    _ = AnyCancellable(upstream as any Subscription)
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

  @Test func `an action after the cancellation runs`() {
    let ran = Log<Int>()
    let cancellable = Empty<Int, Never>(completeImmediately: false).sink { _ in }
    cancellable.cancel()
    cancellable.cancel { ran.append(1) }
    #expect(ran.entries == [1])
  }

  final class Token: Sendable {}

  enum Holding: CaseIterable { case sequence, halfReadSequence, merge, flatMap, just, zip }

  @Test(arguments: Holding.allCases)
  func `a cancelled subscription that is kept releases everything upstream`(_ holding: Holding) {
    weak var token: Token?
    let probe = Probe<Int, Never>()
    do {
      let made = Token()
      token = made
      switch holding {
      case .sequence, .halfReadSequence: [made, made, made].publisher.map { _ in 1 }.subscribe(probe)
      case .merge: [Just(made), Just(made)].merge().map { _ in 1 }.subscribe(probe)
      case .flatMap: (0..<2).publisher.flatMap { _ in Just(made) }.map { _ in 1 }.subscribe(probe)
      case .just: Just(made).map { _ in 1 }.subscribe(probe)
      case .zip: [made].publisher.zip([made].publisher).map { _ in 1 }.subscribe(probe)
      }
    }
    if holding == .halfReadSequence { probe.request(.max(1)) }
    #expect(token != nil)
    probe.cancel()
    #expect(token == nil)
    #expect(probe.isSubscribed)
  }
}
