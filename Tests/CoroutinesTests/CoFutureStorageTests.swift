import Coroutines
import Synchronization
import TestSupport
import Testing

/// A future keeps small values in itself and large ones behind an address; both live exactly as long as it does.
@Suite(.ownThread) struct CoFutureStorageTests {
  private final class Counted: Sendable {
    static let alive = Atomic<Int>(0)
    init() { Self.alive.add(1, ordering: .relaxed) }
    deinit { Self.alive.subtract(1, ordering: .relaxed) }
  }
  private struct Small: Sendable { let counted = Counted() }
  private struct Large: Sendable {
    let counted = Counted()
    let numbers = (1, 2, 3, 4, 5, 6)
  }
  private struct Aligned: Sendable { let vector: SIMD8<Float> }

  @Test func `values of every size come through and are released`() async throws {
    do {
      let small = Coroutine.start { Small() }
      let large = Coroutine.start { Large() }
      #expect(try await large.value.numbers == (1, 2, 3, 4, 5, 6))
      #expect(try await small.value.counted === (try await small.value.counted))
      #expect(Counted.alive.load(ordering: .relaxed) == 2)
    }
    #expect(Counted.alive.load(ordering: .relaxed) == 0)
  }

  @Test func `a value that needs a wider alignment comes through`() async throws {
    let vector = SIMD8<Float>(1, 2, 3, 4, 5, 6, 7, 8)
    #expect(try await Coroutine.start { Aligned(vector: vector) }.value.vector == vector)
  }

  @Test func `a body's captures are released when it ends`() async throws {
    final class Token: Sendable {}
    weak let released: Token?
    let future: CoFuture<Int>
    do {
      let token = Token()
      released = token
      future = Coroutine.start { withExtendedLifetime(token) { 1 } }
    }
    #expect(released == nil)
    #expect(try await future.value == 1)
  }
}
