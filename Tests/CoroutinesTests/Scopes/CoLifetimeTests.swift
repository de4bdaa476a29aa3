import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct CoLifetimeTests {
  private final class Owner: Sendable {
    let lifetime = CoLifetime()
    let witness: Witness

    init(_ count: Counter) { witness = Witness(count) }

    func wait(for promise: CoPromise<Int>, _ log: Log<String>) -> CoFuture<Void> {
      lifetime.start { [weak self] in
        defer { log.append("cleaned up") }
        let value = try promise.future.await()
        log.append("\(value) \(self != nil)")
      }
    }
  }

  @Test func theOwnersEndCancelsWhatWasStarted() async {
    let (alive, log, promise) = (Counter(), Log<String>(), CoPromise<Int>())
    var owner: Owner? = Owner(alive)
    let futures = (0..<2).map { _ in owner!.wait(for: promise, log) }
    #expect(owner?.lifetime.count == 2)
    owner = nil
    #expect(alive.current == 0)
    for future in futures { await #expect(throws: CancellationError.self) { try await future.value } }
    #expect(log.entries == ["cleaned up", "cleaned up"])
    // What others may wait for is left alone.
    #expect(!promise.future.isResolved)
  }

  @Test func whatIsDoneIsForgotten() async throws {
    let (alive, log, promise) = (Counter(), Log<String>(), CoPromise<Int>())
    let owner = Owner(alive)
    let future = owner.wait(for: promise, log)
    promise.succeed(3)
    try await future.value
    #expect(log.entries == ["3 true", "cleaned up"])
    #expect(owner.lifetime.count == 0)
    owner.lifetime.start {}
    #expect(owner.lifetime.count == 0)
  }

  @Test func afterTheEndNothingStarts() async {
    let lifetime = CoLifetime()
    lifetime.cancel()
    let future = lifetime.start { Issue.record("it is over") }
    await #expect(throws: CancellationError.self) { try await future.value }
  }

  @Test func aCoroutineMayEndItsOwnLifetime() async {
    let lifetime = CoLifetime()
    let future = lifetime.start {
      lifetime.cancel()
      try Coroutine.checkCancellation()
    }
    await #expect(throws: CancellationError.self) { try await future.value }
  }

  @Test func itsEndCancelsTheFuturesAndChannelsThatWereAdded() async {
    var lifetime: CoLifetime? = CoLifetime()
    let promise = CoPromise<Int>()
    let future = promise.future.map { $0 + 1 }.added(to: lifetime!)
    let channel = CoChannel<Int>(.unlimited).added(to: lifetime!)
    channel.offer(1)
    #expect(lifetime?.count == 1)
    lifetime = nil
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(channel.isClosed && channel.poll() == nil)
  }

  @Test func whatIsAddedAfterItsEndIsCancelledAtOnce() async {
    let lifetime = CoLifetime()
    lifetime.cancel()
    let promise = CoPromise<Int>()
    let future = promise.future.added(to: lifetime)
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(CoChannel<Int>().added(to: lifetime).isClosed)
  }

  /// A lifetime keeps no channel, and takes a resolved future for what it is.
  @Test func itKeepsNothingThatIsOver() {
    let (alive, lifetime) = (Counter(), CoLifetime())
    for _ in 0..<3 {
      let channel = CoChannel<Witness>(.unlimited).added(to: lifetime)
      channel.offer(Witness(alive))
      #expect(alive.current == 1)
    }
    #expect(alive.current == 0)
    Coroutine.start {}.added(to: lifetime)
    let promise = CoPromise<Witness>()
    promise.future.added(to: lifetime)
    #expect(lifetime.count == 1)
    promise.succeed(Witness(alive))
    #expect(lifetime.count == 0)
    lifetime.cancel()
  }
}
