import Coroutines
import TestSupport
import Testing

/// A fold with `all` nests one combination in the next: as deep as there are futures.
@Suite(.ownThread) struct DeepCombinationTests {
  enum Kind: CaseIterable { case all, any }
  /// A stack of 512 KB is too small for that many frames, however small.
  static let depth = Effort.count(4_000, thorough: 20_000)
  static let failures = Effort.count(20_000, thorough: 100_000)

  private func nested(_ kind: Kind, around inner: CoFuture<Int>) -> CoFuture<Int> {
    (0..<Self.depth).reduce(inner) { inner, _ in
      switch kind {
      case .all: CoFuture.all([inner, CoFuture { 1 }]).map { $0[0] }
      case .any: CoFuture.any([inner])
      }
    }
  }

  @Test(arguments: Kind.allCases) func `a value passes them in bounded stack`(kind: Kind) async throws {
    let promise = CoPromise<Int>()
    let last = nested(kind, around: promise)
    onSmallStack { promise.success(7) }
    #expect(try await last.value == 7)
  }

  @Test(arguments: Kind.allCases) func `a cancellation reaches the promise in bounded stack`(kind: Kind) async
  {
    let promise = CoPromise<Int>()
    let cancelled = Counter()
    promise.whenCanceled { cancelled.add() }
    let last = nested(kind, around: promise)
    onSmallStack { last.cancel() }
    await #expect(throws: CancellationError.self) { try await last.value }
    #expect(cancelled.current == 1)
  }

  @Test func `errors within errors are kept and freed in bounded stack`() {
    onSmallStack {
      let promise = CoPromise<Int>()
      let last = (0..<Self.failures).reduce(promise as CoFuture<Int>) { inner, index in
        CoFuture.any([Coroutine.start { throw Failure(code: index) }, inner])
      }
      let failed = Guarded<AllFuturesFailed?>(nil)
      last.whenComplete { result in
        if case .failure(let error) = result { failed.withLock { $0 = error as? AllFuturesFailed } }
      }
      promise.fail(Failure(code: -1))
      let errors = failed.exchange(nil)?.errors
      #expect(errors?.first as? Failure == Failure(code: Self.failures - 1))
      let within = (errors?.last as? AllFuturesFailed)?.errors
      #expect(within?.first as? Failure == Failure(code: Self.failures - 2))
    }
  }

  @Test func `a failure beside them cancels them in bounded stack`() async {
    let promise = CoPromise<Int>()
    let failing = CoPromise<Int>()
    let cancelled = Counter()
    promise.whenCanceled { cancelled.add() }
    let last = CoFuture.all([nested(.all, around: promise), failing])
    onSmallStack { failing.fail(Failure()) }
    await #expect(throws: Failure()) { _ = try await last.value }
    #expect(cancelled.current == 1)
  }
}
