import TestSupport
import Testing

@testable import Exploration

@Suite(.ownThread) struct PlantedBugTests {
  @Test(arguments: PlantedBug.all) private func `each planted bug is found and replayed`(_ bug: PlantedBug)
    async throws
  {
    let found = try #require(await failure(.standard) { try await bug.body($0) }, "\(bug)")
    #expect(found.problem.contains(bug.problem), "\(found)")
    #expect(!found.story.isEmpty)
    let choices = found.choices.map(String.init).joined(separator: " ")
    for _ in 0..<Effort.count(3, thorough: 100) {
      let again = await #expect(throws: ScheduleFailure.self) {
        try await everySchedule(following: choices) { try await bug.body($0) }
      }
      #expect(again?.problem == found.problem)
      #expect(again?.story == found.story)
    }
  }

  /// No schedule with fewer than two thirds of its steps fails the same way: all are tried.
  @Test(arguments: PlantedBug.all) private func `a finding is nearly as short as possible`(_ bug: PlantedBug)
    async throws
  {
    let found = try #require(await failure(.standard) { try await bug.body($0) }, "\(bug)")
    let search = Search(.following(found.choices))
    #expect(search.begin())
    #expect(BodyRun(bug.body, ScheduleBudget(steps: 1_000)).run(search) == found.problem)
    let fewer = (search.depth * 2 + 2) / 3 - 1
    let run = BodyRun(bug.body, ScheduleBudget(steps: fewer))
    let all = Search(.exhaustive(reduced: false))
    while all.begin() { #expect(run.run(all) != found.problem, "\(all.choices)") }
    #expect(!all.hasDiverged)
    print("\(bug): \(search.depth) steps; none of \(all.schedules) schedules of \(fewer) fails")
  }
}

/// Small programs modelled on bugs that packages have had, with and without the bug.
@Suite(.ownThread) struct PublicBugTests {
  static let all = PlantedBug.ofContinuations + PlantedBug.ofSessions

  @Test(arguments: all) private func `each public bug is found`(_ bug: PlantedBug) async throws {
    let found = try #require(await failure(.standard) { try await bug.body($0) }, "\(bug)")
    #expect(found.problem.contains(bug.problem), "\(found)")
  }

  @Test(arguments: all + PlantedBug.all)
  private func `the right form of a bug passes`(_ bug: PlantedBug) async {
    let found = await failure(.schedules(Effort.count(2_000, thorough: 20_000))) {
      try await bug.corrected($0)
    }
    #expect(found == nil, "\(found.map { "\($0)" } ?? "")")
  }

  @Test func `there are twenty of them`() { #expect(Self.all.count >= 20) }
}
