import ClosureTasks
import Coroutines
import Dispatch
import Futures
import Glibc
import ReactiveStreams
import Synchronization

/// What every library receives.
struct Track: Sendable {
  let client: Client
  /// The length of a scenario's second.
  let second: Duration
  /// The number of requests that scenario 3 races.
  let racers: Int
}

/// One library's eleven scenarios.
protocol Racer: Sendable {
  init(track: Track)
  /// From 1 to 11.
  func answer(to scenario: Int) async throws -> String
}

// MARK: GET requests, as each library has them

extension Track {
  func get(_ path: String) async throws -> String {
    let request = Mutex<Client.Request?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        request.withLock { $0 = client.get(path) { continuation.resume(with: $0) } }
        if Task.isCancelled { request.withLock { $0 }?.cancel() }
      }
    } onCancel: {
      request.withLock { $0 }?.cancel()
    }
  }
}

typealias AnyAnswer = AnyPublisher<String, any Error>

extension Track {
  /// Call it in a coroutine.
  func await(_ path: String) throws -> String {
    try Coroutine.withContinuation {
      $0.cancel()
    } _: { continuation in
      client.get(path) { continuation.resume(with: $0) }
    }
  }

  func future(_ path: String) -> Future<String> {
    Future.make { promise in
      promise.onCancel(client.get(path) { promise.complete(with: $0) }) { $0.cancel() }
    }
  }

  /// The path is read when the task runs.
  func task(_ path: @autoclosure @escaping @Sendable () -> String) -> ClosureTask<String> {
    ClosureTask { controller in
      let request = client.get(path()) { controller.complete(with: $0) }
      controller.onCancel { request.cancel() }
    }
  }

  /// The path is read at the subscription.
  func publisher(
    _ path: @autoclosure @escaping @Sendable () -> String
  ) -> AnyAnswer {
    FromCallback { resolver in
      client.get(path()) { resolver($0) }
    } cancel: { (request: Client.Request) in
      request.cancel()
    }
    .eraseToAnyPublisher()
  }
}

// MARK: What Swift Concurrency has no function for

typealias Work = @Sendable () async throws -> String

/// Returns the first value, once the others are cancelled and have ended.
func firstValue(of works: [Work]) async throws -> String {
  try await withThrowingTaskGroup(of: String.self) { group in
    for work in works { group.addTask(operation: work) }
    defer { group.cancelAll() }
    while let result = await group.nextResult() {
      if let value = try? result.get() { return value }
    }
    throw NoWinner()
  }
}

func withTimeout(_ limit: Duration, _ work: @escaping Work) async throws -> String {
  try await withThrowingTaskGroup(of: String.self) { group in
    group.addTask(operation: work)
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimedOut()
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}

struct NoWinner: Error {}
struct TimedOut: Error {}

// MARK: Scenario 10

/// Keeps the processor busy for about a millisecond.
func compute() {
  let end = ContinuousClock.now + .milliseconds(1)
  var hash = UInt64.random(in: .min ... .max)
  while ContinuousClock.now < end {
    for _ in 0..<100 { hash = (hash ^ (hash >> 29)) &* 0xbf58_476d_1ce4_e5b9 }
  }
  withExtendedLifetime(hash) {}
}

/// The load of this process since the last reading: 1 is one processor; more is not counted.
final class LoadMeter: Sendable {
  private let last = Mutex(Sample())

  var load: Double {
    let now = Sample()
    let last = last.withLock { last in
      defer { last = now }
      return last
    }
    return min(1, (now.processor - last.processor) / max(.nanoseconds(1), now.clock - last.clock))
  }

  private struct Sample {
    let clock = ContinuousClock.now
    let processor = {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }()
  }
}

/// Whether the error asks for a repetition.
@Sendable func isGoOn(_ error: any Error) -> Bool { error as? GetError == .goOn }
