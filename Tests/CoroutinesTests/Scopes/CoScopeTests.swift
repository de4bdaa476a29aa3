import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoScopeTests {
  private let queue = DispatchQueue(label: "scope")

  private final class Owner: Sendable {
    let scope = CoScope()
    let witness: Witness

    init(_ count: Counter) { witness = Witness(count) }

    func wait(for promise: CoPromise<Int>, _ log: Log<String>) -> CoFuture<Void> {
      CoFuture { [weak self] in
        defer { log.append("cleaned up") }
        let value = try promise.await()
        log.append("\(value) \(self != nil)")
      }.added(to: scope)
    }
  }

  @Test func `the owner's end cancels what was added`() async {
    let (alive, log, promise) = (Counter(), Log<String>(), CoPromise<Int>())
    var owner: Owner? = Owner(alive)
    let futures = (0..<2).map { _ in owner!.wait(for: promise, log) }
    #expect(owner?.scope.isEmpty == false)
    owner = nil
    #expect(alive.current == 0)
    for future in futures { await #expect(throws: CancellationError.self) { try await future.value } }
    #expect(log.entries == ["cleaned up", "cleaned up"])
    // A promise that others may await is left alone.
    #expect(!promise.isResolved)
  }

  @Test func `completed members are forgotten`() async throws {
    let (alive, log, promise) = (Counter(), Log<String>(), CoPromise<Int>())
    let owner = Owner(alive)
    let future = owner.wait(for: promise, log)
    promise.success(3)
    try await future.value
    #expect(log.entries == ["3 true", "cleaned up"])
    #expect(owner.scope.isEmpty)
    CoFuture {}.added(to: owner.scope)
    #expect(owner.scope.isEmpty)
  }

  @Test func `a coroutine that is started in a scope ends with it`() {
    let (scope, log, promise) = (CoScope(), Log<String>(), CoPromise<Int>())
    queue.startCoroutine(in: scope) {
      defer { log.append("cleaned up") }
      log.append("begun")
      _ = try promise.await()
    }
    queue.sync {}
    scope.cancel()
    queue.sync {}
    queue.sync {}
    #expect(log.entries == ["begun", "cleaned up"])
  }

  @Test func `a coroutine may end its own scope`() async {
    let (scope, promise) = (CoScope(), CoPromise<Void>())
    let future = CoFuture {
      try promise.await()
      scope.cancel()
      try Coroutine.checkCancellation()
    }.added(to: scope)
    promise.success(())
    await #expect(throws: CancellationError.self) { try await future.value }
  }

  @Test func `its end cancels futures channels and scopes`() async {
    var scope: CoScope? = CoScope()
    let promise = CoPromise<Int>()
    let future = promise.map { $0 + 1 }.added(to: scope!)
    let channel = CoChannel<Int>().added(to: scope!)
    let inner = CoScope().added(to: scope!)
    channel.offer(1)
    scope = nil
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(channel.isCanceled && channel.poll() == nil)
    #expect(inner.isCanceled)
  }

  private final class Own: CoCancellable {
    let cancelled = Counter()
    func cancel() { cancelled.add() }
    func whenComplete(_ callback: sending @escaping () -> Void) {}
  }

  @Test func `a second cancel does nothing`() {
    let (scope, own, ended) = (CoScope(), Own(), Counter())
    own.added(to: scope)
    scope.whenComplete { ended.add() }
    scope.cancel()
    scope.cancel()
    #expect(own.cancelled.current == 1 && ended.current == 1)
    scope.whenComplete { ended.add() }
    #expect(ended.current == 2 && scope.isCanceled && scope.isEmpty)
  }

  @Test func `a member added after its end is cancelled at once`() async {
    let scope = CoScope()
    scope.cancel()
    let future = CoPromise<Int>().added(to: scope)
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(CoChannel<Int>().added(to: scope).isCanceled)
  }

  @Test func `a member added while it is cancelled is cancelled once`() {
    for _ in 0..<200 {
      let (scope, owns) = (CoScope(), (0..<40).map { _ in Own() })
      onThreads(4) { thread in
        if thread == 0 { scope.cancel() }
        for index in stride(from: thread, to: owns.count, by: 4) { owns[index].added(to: scope) }
        if thread == 1 { scope.cancel() }
      }
      #expect(owns.allSatisfy { $0.cancelled.current == 1 })
    }
  }

  @Test func `it keeps no member alive`() {
    let (alive, scope) = (Counter(), CoScope())
    for _ in 0..<3 {
      let channel = CoChannel<Witness>().added(to: scope)
      channel.offer(Witness(alive))
      #expect(alive.current == 1)
    }
    #expect(alive.current == 0)
    CoPromise<Int>().added(to: scope)
    #expect(scope.isEmpty)
    let promise = CoPromise<Witness>().added(to: scope)
    #expect(!scope.isEmpty)
    promise.success(Witness(alive))
    #expect(scope.isEmpty)
    scope.cancel()
  }
}
