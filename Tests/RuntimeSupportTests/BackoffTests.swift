import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct BackoffTests {
  @Test(arguments: zip([1, 2, 3, 4, 1_000_000], [1, 3, 9, 10, 10]))
  func `a wait grows by its factor up to the longest`(failures: Int, seconds: Int) {
    let backoff = Backoff(first: .seconds(1), factor: 3, longest: .seconds(10))
    #expect(backoff.delay(afterFailure: failures) == .seconds(seconds))
  }

  @Test func `a first wait that is too long is cut`() {
    #expect(Backoff(first: .seconds(90)).delay(afterFailure: 1) == .seconds(30))
  }

  @Test func `none never waits`() {
    #expect([1, 2, 50, .max].allSatisfy { Backoff.none.delay(afterFailure: $0) == .zero })
  }

  @Test(arguments: [(0.5, 0.0), (1, 2), (2, 10)])
  func `what a wait comes to is known however many attempts have failed`(factor: Double, seconds: Double) {
    let backoff = Backoff(first: .seconds(2), factor: factor, longest: .seconds(10))
    #expect(backoff.delay(afterFailure: .max) == .seconds(seconds))
  }

  @Test(arguments: [(1e300, 30.0), (.infinity, 30), (.nan, 0), (-1, 0), (-.infinity, 0), (1e-300, 0)])
  func `any factor gives a wait`(factor: Double, seconds: Double) {
    #expect(Backoff(first: .milliseconds(1), factor: factor).delay(afterFailure: 3) == .seconds(seconds))
  }
}
