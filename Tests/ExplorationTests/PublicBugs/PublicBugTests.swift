import Exploration
import TestSupport
import Testing

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
