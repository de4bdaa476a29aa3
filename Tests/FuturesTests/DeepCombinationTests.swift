import Futures
import TestSupport
import Testing

/// A fold with `zip` nests one combination in the next: as deep as there are futures.
@Suite(.ownThread) struct DeepCombinationTests {
  enum Kind: CaseIterable { case all, limited, inOrder, any, race, zip }
  /// A stack of 512 KB is too small for that many frames, however small.
  static let depth = Effort.count(4_000, thorough: 20_000)
  static let failures = Effort.count(20_000, thorough: 100_000)

  private func nest(_ kind: Kind, around inner: Future<Int>) -> Future<Int> {
    switch kind {
    case .all: Future.all([inner]).map { $0[0] }
    case .limited: Future.all([inner], limit: 1) { $0 }.map { $0[0] }
    case .inOrder: Future.inOrderOfCompletion([inner]).map { try $0[0].get() }
    case .any: Future.any([inner])
    case .race: Future.race([inner])
    case .zip: Future.zip(inner, Future(value: 1)).map { $0.0 }
    }
  }

  private func nested(_ kind: Kind, around inner: Future<Int>) -> Future<Int> {
    (0..<Self.depth).reduce(inner) { inner, _ in nest(kind, around: inner) }
  }

  @Test(arguments: Kind.allCases) func `a value passes them in bounded stack`(kind: Kind) {
    let promise = Promise<Int>()
    let last = nested(kind, around: promise.future)
    onSmallStack { promise.succeed(7) }
    #expect(try! last.wait() == 7)
  }

  @Test func `nested errors are kept, and freed in bounded stack`() {
    onSmallStack {
      let promise = Promise<Int>()
      let last = (0..<Self.failures).reduce(promise.future) { inner, index in
        Future.any([Future(error: Failure(code: index)), inner])
      }
      promise.fail(Failure(code: -1))
      guard case .failure(FutureError.allFailed(let errors))? = last.result,
        case FutureError.allFailed(let within)? = errors.last
      else {
        Issue.record("it has not failed with errors within errors")
        return
      }
      #expect(errors.first as? Failure == Failure(code: Self.failures - 1))
      #expect(within.first as? Failure == Failure(code: Self.failures - 2))
    }
  }

  @Test(arguments: Kind.allCases) func `a cancellation reaches the promise in bounded stack`(kind: Kind) {
    let promise = Promise<Int>()
    let ended = Counter()
    let last = nested(kind, around: promise.future)
    last.whenComplete { _ in ended.add() }
    onSmallStack { last.cancel() }
    #expect(promise.isCancelled)
    #expect(ended.current == 1)
  }

  @Test(arguments: [Kind.zip, .all]) func `a failure beside them cancels them in bounded stack`(kind: Kind) {
    let promise = Promise<Int>()
    let failing = Promise<Int>()
    let ended = Counter()
    let inner = nested(kind, around: promise.future)
    let last = Future.zip(inner, failing.future)
    last.whenComplete { _ in ended.add(promise.isCancelled ? 1 : 100) }
    onSmallStack { failing.fail(Failure()) }
    #expect(ended.current == 1)
  }
}
