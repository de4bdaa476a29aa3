import Foundation
import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Deep chains", .ownThread)
struct DeepChainTests {
  private func chain(of count: Int) -> AnyPublisher<Int, Never> {
    (0..<count).reduce((0..<3).publisher.eraseToAnyPublisher()) { chain, _ in
      chain.map { $0 + 1 }.eraseToAnyPublisher()
    }
  }

  @Test func `a chain of 100 000 erased operators is dropped in bounded stack`() {
    onThread(stackBytes: 256 << 10) {
      let alive = Counter()
      do {
        let witness = Witness(alive)
        let first = Just(0).map { value in withExtendedLifetime(witness) { value } }.eraseToAnyPublisher()
        let chain = (0..<100_000).reduce(first) { chain, _ in chain.map { $0 + 1 }.eraseToAnyPublisher() }
        withExtendedLifetime(chain) { #expect(alive.current == 1) }
      }
      #expect(alive.current == 0)
    }
  }

  @Test func `all of a chain is dropped, and at once`() {
    final class Token: Sendable {}
    weak var dropped: Token?
    do {
      let token = Token()
      dropped = token
      let source = (0..<3).publisher.map { value in withExtendedLifetime(token) { value } }
        .eraseToAnyPublisher()
      let chain = (0..<1000).reduce(source) { chain, _ in chain.map { $0 }.eraseToAnyPublisher() }
      withExtendedLifetime(chain) {}
    }
    #expect(dropped == nil)
  }

  /// The bound that the type's description gives, with a margin for builds that are not optimized.
  @Test(arguments: [(1000, 2), isUnderThreadSanitizer ? (5000, 10) : (100_000, 192)])
  func `a chain is subscribed to, passes values and ends in bounded stack`(count: Int, stackMebibytes: Int) {
    // A sanitized build has larger frames.
    onThread(stackBytes: (stackMebibytes << 20) * (isUnderSanitizer ? 4 : 1)) {
      let probe = Probe<Int, Never>()
      chain(of: count).subscribe(probe)
      probe.request(.unlimited)
      #expect(probe.values == [count, count + 1, count + 2] && probe.completion == .finished)
    }
  }

  private func onThread(stackBytes: Int, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      done.signal()
    }
    thread.stackSize = stackBytes
    thread.start()
    done.wait()
  }
}
