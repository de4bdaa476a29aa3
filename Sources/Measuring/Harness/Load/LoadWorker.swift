import CProbes
import RawThreads
import UploadScenario

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Takes windows of load of one contender. For one thread.
package final class LoadWorker: Worker {
  private let contender: any Contender
  private let clock: HarnessClock
  private let makePost: UploadWorker.MakePost
  private let makeServices: UploadWorker.MakeServices
  private var benches: [Key: LoadBench] = [:]

  private struct Key: Hashable {
    let scenario: Scenario
    let mostPosts: Int
  }

  /// - Parameters:
  ///   - makePost: called once per scenario; what it throws is what `run` throws.
  ///   - makeServices: likewise, for as many ledgers as posts may be under way.
  package init(
    contender: any Contender, clock: HarnessClock = .monotonic, makePost: @escaping UploadWorker.MakePost,
    makeServices: @escaping UploadWorker.MakeServices
  ) {
    self.contender = contender
    self.clock = clock
    self.makePost = makePost
    self.makeServices = makeServices
  }

  package func run(_ request: LoadRequest) throws -> LoadReply {
    Counters.stayOff()
    PreciseSleep.sharpenThisThread()
    let key = Key(scenario: request.scenario, mostPosts: request.mostPosts)
    let bench = try benches[key] ?? makeBench(request)
    benches[key] = bench
    var generator = LoadGenerator(bench.contender, bench, request, clock: clock)
    return generator.run()
  }

  private func makeBench(_ request: LoadRequest) throws -> LoadBench {
    let scenario = request.scenario
    let contender = try contender.placed(in: scenario)
    let post = try makePost(scenario)
    let ledgers = (0..<request.mostPosts).map { _ in
      Ledger(requestCount: scenario.requestCount, nanoseconds: clock.nanoseconds)
    }
    let services = try makeServices(scenario, post, ledgers)
    let ended = EndedPosts(slotCount: request.mostPosts)
    return LoadBench(
      contender: contender, scenario: scenario, post: post,
      slots: zip(ledgers, services).enumerated().map { index, pair in
        LoadSlot(
          ledger: pair.0, service: pair.1, clock: clock, place: EndedPosts.Place(list: ended, slot: index))
      },
      ended: ended, expectation: try Expectation(scenario: scenario, post: post),
      idealNanoseconds: scenario.idealNanoseconds(for: post))
  }
}

/// What windows of one scenario need: the slots, and what a post is held against. Made before the first window.
struct LoadBench {
  /// In the scenario's context.
  let contender: any Contender
  let scenario: Scenario
  let post: Post
  let slots: [LoadSlot]
  let ended: EndedPosts
  let expectation: Expectation
  let idealNanoseconds: UInt64?
}

/// Sleeps to a moment, and spins for the last bit of it: no kernel wakes a thread exactly on time.
enum PreciseSleep {
  /// Asks the kernel not to put this thread's wake-ups off so as to share them with others; where it does so at all.
  static func sharpenThisThread() { _ = machine_wakes_promptly() }

  static func sleep(untilNanoseconds moment: UInt64, spinNanoseconds: UInt64) {
    if moment > spinNanoseconds, MonotonicClock.nanoseconds() < moment - spinNanoseconds {
      sleepRoughly(untilNanoseconds: moment - spinNanoseconds)
    }
    while MonotonicClock.nanoseconds() < moment {}
  }

  private static func sleepRoughly(untilNanoseconds moment: UInt64) {
    #if canImport(Darwin)
      // The platform has no sleep to a moment of this clock: sleeps for what is left, until nothing is.
      while case let now = MonotonicClock.nanoseconds(), now < moment {
        var time = timespec(nanoseconds: moment - now)
        nanosleep(&time, nil)
      }
    #else
      // To a moment, not for a time: what passes between reading the clock and falling asleep makes it no later.
      var time = timespec(nanoseconds: moment)
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    #endif
  }
}

extension timespec {
  fileprivate init(nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
