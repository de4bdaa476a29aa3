import Dispatch
import Futures

struct FuturesRacer: Racer {
  let track: Track

  func answer(to scenario: Int) async throws -> String { try await solution(of: scenario).value }

  func solution(of scenario: Int) -> Future<String> {
    switch scenario {
    case 3: .any((1...track.racers).map { _ in get("/3") })
    case 4: .any([get("/4"), get("/4").timeout(after: track.second)])
    case 6: .any([get("/6"), get("/6"), get("/6")])
    case 7: .any([get("/7"), Future.after(track.second * 3, value: "/7").flatMap(get)])
    case 8: .any([useResource(), useResource()])
    case 9: letters()
    case 10: computation()
    case 11: .any([get("/11"), .any([get("/11"), get("/11")])])
    default: .any([get("/\(scenario)"), get("/\(scenario)")])
    }
  }

  @Sendable func get(_ path: String) -> Future<String> { track.future(path) }

  func useResource() -> Future<String> {
    get("/8?open").flatMap { id in
      get("/8?use=\(id)").ensure { get("/8?close=\(id)").map { _ in } }
    }
  }

  func letters() -> Future<String> {
    Future.inOrderOfCompletion((1...10).map { _ in get("/9") })
      .map { answers in answers.compactMap { try? $0.get() }.joined() }
  }

  func computation() -> Future<String> {
    let computing = DispatchQueue.global().future { stop in
      while !stop.isCancelled { compute() }
      return "stopped"
    }
    let meter = LoadMeter()
    let report = Future.retry(attempts: .max, delay: { _ in track.second }, if: isGoOn) {
      get("/10?futures=\(meter.load)")
    }
    return Future.zip(.race([get("/10?futures"), computing]), report).map { _, answer in answer }
  }
}
