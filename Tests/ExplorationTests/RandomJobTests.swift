import Exploration
import TestSupport
import Testing

@Suite(.ownThread(minutes: 20)) struct RandomJobTests {
  /// Exploration finds nothing in jobs that are correct in every order.
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
