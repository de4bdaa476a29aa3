import ClosureTasks

struct ClosureTasksRacer: Racer {
  let track: Track

  func answer(to scenario: Int) async throws -> String { try await solution(of: scenario).value }

  func solution(of scenario: Int) -> ClosureTask<String> {
    switch scenario {
    case 3: .any(Array(repeating: get("/3"), count: track.racers))
    case 4: .any([get("/4"), get("/4").timeout(after: track.second)])
    case 6: .any([get("/6"), get("/6"), get("/6")])
    case 7: .any([get("/7"), get("/7").delay(for: track.second * 3)])
    case 8: .any([useResource(), useResource()])
    case 9: letters()
    case 10: computation()
    case 11: .any([get("/11"), .any([get("/11"), get("/11")])])
    default: .any([get("/\(scenario)"), get("/\(scenario)")])
    }
  }

  func get(_ path: @autoclosure @escaping @Sendable () -> String) -> ClosureTask<String> {
    track.task(path())
  }

  func useResource() -> ClosureTask<String> {
    get("/8?open").then { id in
      get("/8?use=\(id)").ensure(get("/8?close=\(id)").map { _ in })
    }
  }

  func letters() -> ClosureTask<String> {
    ClosureTask.inOrderOfCompletion(Array(repeating: get("/9"), count: 10))
      .map { answers in answers.compactMap { try? $0.get() }.joined() }
  }

  func computation() -> ClosureTask<String> {
    let computing = ClosureTask<String> { controller in
      while !controller.isCancelled { compute() }
    }
    let meter = LoadMeter()
    let report = get("/10?tasks=\(meter.load)")
      .retry(attempts: .max, delay: { _ in track.second }, if: isGoOn)
    return ClosureTask.zip(.race([get("/10?tasks"), computing.on(.global())]), report)
      .map { _, answer in answer }
  }
}
