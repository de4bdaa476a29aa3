import Exploration
import TestSupport
import Testing

@Suite(.ownThread(minutes: 20)) struct RandomJobTests {
  @Test func `nothing is found in correct random jobs`() async throws {
    var (schedules, exhausted) = (0, 0)
    let jobs = Effort.count(40, thorough: 1_000)
    for seed in 0..<UInt64(jobs) {
      var generator = SeededNumbers(seed: seed)
      let job = RandomJob.random(&generator, parts: 2 + Int(seed % 9))
      let budget = ScheduleBudget(time: .seconds(60), schedules: Effort.count(200, thorough: 2_000))
      do {
        let report = try await everySchedule(budget, seed: seed) { exploration in
          let counts = Counts()
          await job.run(exploration, counts)
          let count = await counts.direct.current + counts.actor.count
          guard count == job.total else { throw Wrong() }
        }
        schedules += report.schedules
        if report.isExhausted { exhausted += 1 }
      } catch { Issue.record("seed \(seed), \(job): \(error)") }
    }
    print("\(jobs) jobs, \(schedules) schedules, all of \(exhausted) jobs")
  }
}

/// A tree of tasks that is correct in every order: it counts to its total, and ends.
indirect enum RandomJob: Sendable {
  case yield
  case sleep(milliseconds: Int)
  case count
  case countInActor
  case sequence([RandomJob])
  /// Child tasks, all cancelled once so many have ended.
  case group([RandomJob], cancelledAfter: Int?)
  case pair(RandomJob, RandomJob)
  /// An unstructured task that is awaited, perhaps cancelled before.
  case unstructured(RandomJob, isDetached: Bool, isCancelled: Bool)
  /// One child waits for the other's signal.
  case signal(before: RandomJob)
  /// One child writes to a stream that the other reads.
  case stream(elements: Int)

  static func random(_ generator: inout SeededNumbers, parts: Int) -> RandomJob {
    func part(_ share: Int) -> RandomJob { random(&generator, parts: share) }
    guard parts > 1 else {
      switch generator.next() % 4 {
      case 0: return .sleep(milliseconds: Int(generator.next() % 3))
      case 1: return .count
      case 2: return .countInActor
      default: return .yield
      }
    }
    let half = parts / 2
    switch generator.next() % 7 {
    case 0, 1:
      return .sequence([part(half), part(parts - half)])
    case 2:
      let children = (0..<min(parts, 3)).map { _ in part(parts / 3) }
      let after = generator.next() % 2 == 0 ? nil : Int(generator.next() % UInt64(children.count))
      return .group(children, cancelledAfter: after)
    case 3:
      return .pair(part(half), part(parts - half))
    case 4:
      let (isDetached, isCancelled) = (generator.next() % 2 == 0, generator.next() % 2 == 0)
      return .unstructured(part(parts - 1), isDetached: isDetached, isCancelled: isCancelled)
    case 5: return .signal(before: part(parts - 1))
    default: return .stream(elements: parts)
    }
  }

  /// The expected count.
  var total: Int {
    switch self {
    case .yield, .sleep: 0
    case .count, .countInActor: 1
    case .sequence(let parts), .group(let parts, _): parts.reduce(0) { $0 + $1.total }
    case .pair(let one, let other): one.total + other.total
    case .unstructured(let part, _, _): part.total
    case .signal(let before): before.total + 1
    case .stream(let elements): elements
    }
  }

  func run(_ exploration: ScheduleContext, _ counts: Counts) async {
    switch self {
    case .yield: await Task.yield()
    case .sleep(let milliseconds):
      try? await exploration.clock.sleep(for: .milliseconds(milliseconds))
    case .count: counts.direct.add()
    case .countInActor: await counts.actor.add()
    case .sequence(let parts): for part in parts { await part.run(exploration, counts) }
    case .group(let parts, let after):
      await withTaskGroup(of: Void.self) { group in
        for part in parts { group.addTask { await part.run(exploration, counts) } }
        if let after {
          for _ in 0..<after { await group.next() }
          group.cancelAll()
        }
      }
    case .pair(let one, let other):
      async let first: Void = one.run(exploration, counts)
      async let second: Void = other.run(exploration, counts)
      _ = await (first, second)
    case .unstructured(let part, let isDetached, let isCancelled):
      let task =
        isDetached
        ? Task.detached { await part.run(exploration, counts) }
        : Task { await part.run(exploration, counts) }
      if isCancelled { task.cancel() }
      await task.value
    case .signal(let before):
      let waiting = Guarded<(isSet: Bool, continuation: CheckedContinuation<Void, Never>?)>((false, nil))
      async let waited: Void = withCheckedContinuation { continuation in
        let isSet = waiting.withLock { waiting in
          if !waiting.isSet { waiting.continuation = continuation }
          return waiting.isSet
        }
        if isSet { continuation.resume() }
      }
      await before.run(exploration, counts)
      waiting.withLock { waiting in
        waiting.isSet = true
        return waiting.continuation
      }?.resume()
      await waited
      counts.direct.add()
    case .stream(let elements):
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      async let written: Void = {
        for element in 0..<elements { continuation.yield(element) }
        continuation.finish()
      }()
      // A cancelled task stops reading.
      var count = 0
      for await _ in stream { count += 1 }
      await written
      counts.direct.add(Task.isCancelled ? elements : count)
    }
  }
}

final class Counts: Sendable {
  let direct = Counter()
  let actor = ActorCounter()
}

actor ActorCounter {
  private(set) var count = 0
  func add() { count += 1 }
}
