import ReactiveStreams
import TestSupport
import Testing

@Suite("Deep chains", .ownThread) struct DeepChainTests {
  private func chain(of count: Int) -> AnyPublisher<Int, Never> {
    (0..<count).reduce((0..<3).publisher.eraseToAnyPublisher()) { chain, _ in
      chain.map { $0 + 1 }.eraseToAnyPublisher()
    }
  }

  @Test func `a chain of 100 000 erased operators is dropped in bounded stack`() {
    onSmallStack(byteCount: 256 << 10) {
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

  /// The bound in the type's description, with a margin for builds without optimisation.
  @Test(arguments: [(1000, 2), isUnderThreadSanitizer ? (5000, 10) : (100_000, 192)])
  func `a chain is subscribed to, passes values and ends in bounded stack`(count: Int, stackMebibytes: Int) {
    // A sanitized build has larger frames.
    onSmallStack(byteCount: (stackMebibytes << 20) * (isUnderSanitizer ? 4 : 1)) {
      let probe = Probe<Int, Never>()
      chain(of: count).subscribe(probe)
      probe.request(.unlimited)
      #expect(probe.values == [count, count + 1, count + 2] && probe.completion == .finished)
    }
  }
}
