import Dispatch
import Synchronization

/// An answer: some of the operations, implemented in one idiom, whose folder of contenders holds one public constant of this type.
public struct RuntimeContender: Sendable {
  /// Performs an operation on `count` units, on a thread that may block; returns its answer, and leaves nothing running.
  public typealias Implementation = @Sendable (_ count: Int) throws -> Int

  /// Names the contender in every report.
  public let name: String
  public let summary: String
  public let implementations: [RuntimeOperation: Implementation]

  public init(name: String, summary: String, implementations: [RuntimeOperation: Implementation]) {
    self.name = name
    self.summary = summary
    self.implementations = implementations
  }
}

/// Where implementations add up what arrives: a class, unchecked, so that adding costs what an addition costs.
public final class Tally: @unchecked Sendable {
  // Invariant: one thread at a time touches it; whoever changes threads in between synchronises by what it measures.
  @exclusivity(unchecked) public var sum = 0

  public init() {}

  @inlinable public func add(_ value: Int) { sum &+= value }
}

/// An implementation that answers with what `body` adds up.
public func summing(
  _ body: @escaping @Sendable (_ count: Int, _ tally: Tally) throws -> Void
) -> RuntimeContender.Implementation {
  { count in
    let tally = Tally()
    try body(count, tally)
    return tally.sum
  }
}

/// The same with async work.
public func summingAsync(
  _ body: @escaping @Sendable (_ count: Int, _ tally: Tally) async -> Void
) -> RuntimeContender.Implementation {
  summing { count, tally in
    _ = performAsync {
      await body(count, tally)
      return tally.sum
    }
  }
}

/// Runs async work from a thread that may block, such as the harness's, and returns its answer. Never from the pool's.
public func performAsync<Failure: Error>(
  _ work: @escaping @Sendable () async throws(Failure) -> Int
) throws(Failure) -> Int {
  let outcome = Mutex<Result<Int, Failure>?>(nil)
  let ended = DispatchSemaphore(value: 0)
  Task.detached {
    let result: Result<Int, Failure>
    do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    ended.signal()
  }
  ended.wait()
  return try outcome.withLock { $0! }.get()
}
