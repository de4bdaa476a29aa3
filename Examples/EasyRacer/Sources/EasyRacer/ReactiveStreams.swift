import Dispatch
import ReactiveStreams

struct ReactiveStreamsRacer: Racer {
  let track: Track

  func answer(to scenario: Int) async throws -> String { try await solution(of: scenario).value }

  func solution(of scenario: Int) -> AnyAnswer {
    switch scenario {
    case 3: Array(repeating: get("/3"), count: track.racers).any().eraseToAnyPublisher()
    case 4: any(get("/4"), get("/4").timeout(track.second, scheduler: queue))
    case 6: [get("/6"), get("/6"), get("/6")].any().eraseToAnyPublisher()
    case 7: any(get("/7"), get("/7").delaySubscription(for: track.second * 3, scheduler: queue))
    case 8: any(useResource(), useResource())
    case 9: letters()
    case 10: computation()
    case 11: any(get("/11"), any(get("/11"), get("/11")))
    default: any(get("/\(scenario)"), get("/\(scenario)"))
    }
  }

  var queue: DispatchQueue { .global() }

  func get(_ path: @autoclosure @escaping @Sendable () -> String) -> AnyAnswer { track.publisher(path()) }

  func any(_ first: AnyAnswer, _ second: some Publisher<String, any Error>) -> AnyAnswer {
    first.any(with: second) { error, _ in error }.eraseToAnyPublisher()
  }

  func useResource() -> AnyAnswer {
    get("/8?open").flatMap { id in
      get("/8?use=\(id)").ensure { get("/8?close=\(id)") }
    }.eraseToAnyPublisher()
  }

  func letters() -> AnyAnswer {
    Array(repeating: get("/9").replaceError(with: ""), count: 10).merge()
      .reduce("", +).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  func computation() -> AnyAnswer {
    let computing = (1...).publisher.setFailureType(to: (any Error).self)
      .compactMap { _ -> String? in
        compute()
        return nil
      }
      .subscribe(on: queue)
    let meter = LoadMeter()
    let report = get("/10?streams=\(meter.load)")
      .retry(.max, delay: { _ in track.second }, on: queue, if: isGoOn)
    return any(get("/10?streams"), computing).zip(report).map { $1 }.eraseToAnyPublisher()
  }
}
