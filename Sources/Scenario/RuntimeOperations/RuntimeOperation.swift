import Dispatch
import Synchronization

/// An operation of a concurrency library whose time is measured.
public struct RuntimeOperation: Sendable, Hashable, Codable {
  /// The construct that the operation uses.
  public enum Family: String, Sendable, Hashable, Codable, CaseIterable {
    case coroutine, channel, future, task, stream
  }

  public let name: String
  public let family: Family
  public let summary: String
  /// A description of what the contender `reference` does: the least work with the same result.
  public let reference: String
  /// The unit to which reported times refer, such as `element`.
  public let unit: String
  public let count: Int
  /// The result that every implementation must return.
  public let answer: Int
  public let showsMemory: Bool

  /// - Parameter answer: the expected result. `nil` means the sum of the numbers below `count`.
  init(
    _ family: Family, _ name: String, _ summary: String, reference: String, unit: String, count: Int,
    answer: Int? = nil, showsMemory: Bool = false
  ) {
    self.name = name
    self.family = family
    self.summary = summary
    self.reference = reference
    self.unit = unit
    self.count = count
    self.answer = answer ?? Self.sum(below: count)
    self.showsMemory = showsMemory
  }

  static func sum(below count: Int) -> Int { count * (count - 1) / 2 }

  /// The name of the contender with which others are compared.
  public static let referenceName = "reference"

  /// The operations that are measured by default.
  public static let all = [
    coroutineSwitch, coroutineStart, coroutineStartSuspend, awaitReady, awaitResumed, awaitPending,
    suspended,
    channelOneThread, channelTwoThreads,
    promiseCallback, allOfMany, mapChain,
    taskGroup, taskSequence,
    sequenceToSink, subjectToSink, mapFilterMap, zip3, zipMany, flatMap, merge,
  ]

  /// The operations that are measured only if they are named, because they need gigabytes of memory.
  public static let large = [suspendedMillion]

  public static let coroutineSwitch = RuntimeOperation(
    .coroutine, "coroutine-switch", "switch into a coroutine and out of it; each way is one",
    reference: "the bare switch of stacks, in assembly", unit: "switch", count: 100_000, answer: 50_000)

  public static let coroutineStart = RuntimeOperation(
    .coroutine, "coroutine-start", "start a coroutine on this thread, and let it finish without suspending",
    reference: "call a closure that is stored in an object made for it", unit: "coroutine", count: 10_000)

  public static let coroutineStartSuspend = RuntimeOperation(
    .coroutine, "coroutine-start-suspend",
    "start a coroutine, let it wait for a callback, call back, and let it finish",
    reference: "a stored closure that stores its rest as a second one", unit: "coroutine", count: 10_000)

  public static let awaitReady = RuntimeOperation(
    .coroutine, "await-ready", "await a future that has its value",
    reference: "read an optional behind an atomic flag", unit: "await", count: 100_000)

  public static let awaitResumed = RuntimeOperation(
    .coroutine, "await-resumed", "await a callback that calls back at once: nothing has to suspend",
    reference: "an unsafe continuation", unit: "await", count: 10_000)

  public static let awaitPending = RuntimeOperation(
    .coroutine, "await-pending", "await what is not there: suspend, and be resumed from outside",
    reference: "a closure that is stored in an object, and called", unit: "await", count: 10_000)

  public static let suspended = RuntimeOperation(
    .coroutine, "suspended-100000", "start 100 000 that all wait at once, then let them go",
    reference: "store 100 000 closures", unit: "coroutine", count: 100_000, showsMemory: true)

  public static let suspendedMillion = RuntimeOperation(
    .coroutine, "suspended-1000000",
    "start 1 000 000 that all wait at once, then let them go; only if named, for it takes GiBs",
    reference: "store 1 000 000 closures", unit: "coroutine", count: 1_000_000, showsMemory: true)

  public static let channelOneThread = RuntimeOperation(
    .channel, "channel-one-thread", "one sends, one receives, through a buffer of 100, on one thread",
    reference: "a ring of 100 behind a lock, filled and emptied alternately", unit: "element", count: 10_000)

  public static let channelTwoThreads = RuntimeOperation(
    .channel, "channel-two-threads", "one sends, one receives, through a buffer of 100, on two threads",
    reference: "a ring of 100 behind a lock and two condition variables", unit: "element", count: 10_000)

  public static let promiseCallback = RuntimeOperation(
    .future, "promise-callback", "make a promise, put one callback on its future, fulfil it",
    reference: "an object with a lock, a closure and a value", unit: "promise", count: 10_000)

  public static let allOfMany = RuntimeOperation(
    .future, "all-10000", "make 10 000 promises, combine their futures into one of all values, fulfil them",
    reference: "DispatchGroup, with a slot for each value", unit: "future", count: 10_000)

  public static let mapChain = RuntimeOperation(
    .future, "map-chain-1000", "put 1 000 maps one after another behind a promise, fulfil it",
    reference: "1 000 closures, each of which calls the next", unit: "step", count: 1_000, answer: 1_000)

  public static let taskGroup = RuntimeOperation(
    .task, "group-1000", "start 1 000 jobs that end at once, wait for all, in order",
    reference: "DispatchGroup, with a slot for each value", unit: "job", count: 1_000)

  public static let taskSequence = RuntimeOperation(
    .task, "sequence-1000", "run 1 000 jobs one after another, each when the last has ended",
    reference: "a loop that calls a closure", unit: "job", count: 1_000)

  public static let sequenceToSink = RuntimeOperation(
    .stream, "sequence-to-sink", "every element of a sequence reaches a sink",
    reference: "a loop that calls a stored closure", unit: "element", count: 10_000)

  public static let subjectToSink = RuntimeOperation(
    .stream, "subject-to-sink", "every value sent to a subject reaches a sink",
    reference: "a loop that calls a closure behind a lock", unit: "element", count: 10_000)

  /// An operation that adds 1, keeps even numbers and doubles them. The result for n elements is 2 × (2 + 4 + … + n).
  public static let mapFilterMap = RuntimeOperation(
    .stream, "map-filter-map",
    "elements pass a map, a filter that keeps every second, a map, and reach a sink",
    reference: "a loop that calls four stored closures", unit: "element", count: 10_000,
    answer: 4 * sum(below: 5_001))

  public static let zip3 = RuntimeOperation(
    .stream, "zip3", "zip three sequences of equal length",
    reference: "a loop over three arrays that calls a stored closure", unit: "tuple", count: 10_000,
    answer: 3 * sum(below: 10_000))

  public static let zipMany = RuntimeOperation(
    .stream, "zip-many-100", "zip 100 publishers of a single value each into one array",
    reference: "a loop that fills an array and calls a stored closure", unit: "input", count: 100)

  public static let flatMap = RuntimeOperation(
    .stream, "flat-map-10000", "map 10 000 elements to publishers of one value each, flattened",
    reference: "a loop that calls a closure for a closure, and that", unit: "element", count: 10_000)

  public static let merge = RuntimeOperation(
    .stream, "merge-100x1000", "merge 100 sequences of 1 000 elements each",
    reference: "two nested loops that call a stored closure", unit: "element", count: 100_000,
    answer: 100 * sum(below: 1_000))
}

/// The implementations of operations in one idiom.
public struct RuntimeContender: Sendable {
  /// Performs an operation on `count` units, on a thread that may block, and returns the result. No work may outlive the call.
  public typealias Implementation = @Sendable (_ count: Int) throws -> Int

  public let name: String
  public let summary: String
  public let implementations: [RuntimeOperation: Implementation]

  public init(name: String, summary: String, implementations: [RuntimeOperation: Implementation]) {
    self.name = name
    self.summary = summary
    self.implementations = implementations
  }
}

/// A sum of the values that an operation receives.
public final class Tally: @unchecked Sendable {
  // Invariant: one thread at a time accesses `sum`, because the measured construct synchronises its threads.
  @exclusivity(unchecked) public var sum = 0

  public init() {}

  @inlinable public func add(_ value: Int) { sum &+= value }
}

/// Makes an implementation whose result is the sum of the values that `body` adds to the tally.
public func summing(
  _ body: @escaping @Sendable (_ count: Int, _ tally: Tally) throws -> Void
) -> RuntimeContender.Implementation {
  { count in
    let tally = Tally()
    try body(count, tally)
    return tally.sum
  }
}

/// Makes an implementation whose result is the sum of the values that async work adds to the tally.
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

/// Runs async work and blocks the calling thread, which must not belong to the cooperative pool, until the work has ended.
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
