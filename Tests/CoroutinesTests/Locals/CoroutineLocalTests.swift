import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutineLocalTests {
  private static let request = CoroutineLocal("none")
  private static let depth = CoroutineLocal(0)

  private func suspend() throws {
    try Coroutine.withContinuation(of: Void.self) { continuation in
      DispatchQueue.global().async { continuation.resume() }
    }
  }

  @Test func withoutABindingItIsTheDefault() async throws {
    #expect(Self.request.value == "none")
    #expect(try await Coroutine.start { Self.request.value }.value == "none")
  }

  @Test func aBindingHoldsAcrossSuspensionsAndEndsWithItsOperation() async throws {
    let seen = try await Coroutine.start {
      var seen: [String] = []
      try Self.request.withValue("outer") {
        seen.append(Self.request.value)
        try Self.request.withValue("inner") {
          try suspend()
          seen.append(Self.request.value)
        }
        try suspend()
        seen.append(Self.request.value)
      }
      return seen + [Self.request.value]
    }.value
    #expect(seen == ["outer", "inner", "outer", "none"])
  }

  @Test func localsDoNotMix() async throws {
    let seen = try await Coroutine.start {
      Self.request.withValue("a") { Self.depth.withValue(3) { "\(Self.request.value)\(Self.depth.value)" } }
    }.value
    #expect(seen == "a3")
  }

  /// While it is suspended inside its binding, the thread that it ran on runs code that has none.
  @Test func aSuspendedCoroutineTakesItsBindingAlong() async throws {
    let promise = CoPromise<Int>()
    let coroutine = Coroutine.start {
      try Self.depth.withValue(7) {
        _ = try promise.future.await()
        return Self.depth.value
      }
    }
    #expect(Self.depth.value == 0)
    #expect(try await Coroutine.start { Self.depth.value }.value == 0)
    promise.complete(.success(1))
    #expect(try await coroutine.value == 7)
  }

  @Test(arguments: [false, true]) func coroutinesInheritWhatIsBoundWhereTheyAreStarted(isScheduled: Bool)
    async throws
  {
    let queue = isScheduled ? DispatchQueue(label: "children") : nil
    let seen = try await Coroutine.start {
      try Self.depth.withValue(1) {
        let child = Coroutine.start(on: queue) {
          try suspend()
          return Self.depth.withValue(Self.depth.value + 1) { Self.depth.value }
        }
        let scoped = try CoScope.run(on: queue) { scope in
          try scope.async { Self.depth.value * 10 }.await()
            + scope.map([100]) { Self.depth.value * $0 }.reduce(0, +)
        }
        return try child.await() + scoped
      }
    }.value
    #expect(seen == 2 + 10 + 100)
  }

  @Test func codeOutsideOfCoroutinesBindsForThoseItStarts() async throws {
    let future = Self.depth.withValue(5) { Coroutine.start { Self.depth.value } }
    #expect(try await future.value == 5)
    #expect(Self.depth.value == 0)
  }

  @Test func aBoundValueIsLetGoOfWithItsCoroutine() async throws {
    final class Token: Sendable {}
    let local = CoroutineLocal<Token?>(nil)
    weak let released: Token?
    do {
      let token = Token()
      released = token
      let future = local.withValue(token) { Coroutine.start { local.value === token } }
      #expect(try await future.value)
    }
    #expect(released == nil)
  }

  /// Each binds what the next inherits: the last one lets go of all of them.
  @Test func aLongChainOfBindingsIsLetGoOfInBoundedStack() async throws {
    let scheduler = SeededScheduler(seed: 1)
    @Sendable func bind(_ number: Int, _ done: CoPromise<Int>) {
      Coroutine.start(on: scheduler) {
        if number == 100_000 { return done.succeed(Self.depth.value) }
        Self.depth.withValue(number) { bind(number + 1, done) }
      }
    }
    let done = CoPromise<Int>()
    bind(0, done)
    onSmallStack { scheduler.run() }
    #expect(try await done.future.value == 99_999)
  }
}
