import CProbes
import RawThreads
import Results
import UploadScenario

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Measures one contender under load. Only one thread may use it.
package final class LoadWorker: Worker {
  private let setup: UploadSetup
  private var places: [Scenario: LoadPlace] = [:]

  package init(_ setup: UploadSetup) { self.setup = setup }

  package func run(_ request: LoadRequest) throws -> LoadReading {
    Counters.stayOff()
    // Without this, the kernel may delay this thread's timers to merge them with other threads' timers.
    _ = machine_wakes_promptly()
    let most = request.mostPosts ?? LoadRequest.mostPosts(of: request.scenario)
    let known = places[request.scenario].flatMap { $0.slots.count == most ? $0 : nil }
    let place = try known ?? makePlace(request.scenario, slots: most)
    places[request.scenario] = place
    var generator = LoadGenerator(place, request, clock: setup.clock)
    return generator.run()
  }

  private func makePlace(_ scenario: Scenario, slots count: Int) throws -> LoadPlace {
    let bench = try setup.bench(for: scenario)
    let ledgers = (0..<count).map { _ in
      Ledger(requestCount: bench.scenario.requestCount, nanoseconds: setup.clock.nanoseconds)
    }
    let ended = EndedPosts(slotCount: count)
    let services = try setup.services(for: bench, ledgers)
    let slots = zip(ledgers, services).enumerated().map { index, pair in
      let place = EndedPosts.Place(list: ended, slot: index)
      return LoadSlot(ledger: pair.0, service: pair.1, clock: setup.clock, place: place)
    }
    return LoadPlace(bench: bench, slots: slots, ended: ended)
  }
}

struct LoadPlace {
  let bench: Bench
  let slots: [LoadSlot]
  let ended: EndedPosts
}

/// Sleeps until shortly before a moment and spins for the rest, because kernels wake threads late.
enum PreciseSleep {
  static func sleep(untilNanoseconds moment: UInt64, spinNanoseconds: UInt64) {
    if moment > spinNanoseconds, MonotonicClock.nanoseconds() < moment - spinNanoseconds {
      sleepRoughly(untilNanoseconds: moment - spinNanoseconds)
    }
    while MonotonicClock.nanoseconds() < moment {}
  }

  private static func sleepRoughly(untilNanoseconds moment: UInt64) {
    #if canImport(Darwin)
      // Darwin has no sleep until an absolute time of this clock.
      while case let now = MonotonicClock.nanoseconds(), now < moment {
        var time = timespec(nanoseconds: moment - now)
        nanosleep(&time, nil)
      }
    #else
      // The sleep has an absolute end, so that a delay before the call does not lengthen it.
      var time = timespec(nanoseconds: moment)
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    #endif
  }
}
