import BenchCommand
import Registry
import UploadExploration
import UploadServices

/// What `bench` is and `bench-http` too: the command with everyone who is known.
///
/// - Parameter http: what carries real uploads; nil: this executable cannot, and hands over to the one that can.
public func runBench(http: (@Sendable () -> any HTTPTransport)? = nil) -> Never {
  Bench.main(
    contenders: contenders, variants: variants, idioms: idioms, runtimes: runtimeContenders,
    explore: { contenders, patterns, seed, budget in
      let explorer = Explorer(seed: seed)
      let report = explorer.explore(contenders, patterns: patterns, budget: budget)
      return ExplorationReport(
        schedules: report.schedules, jobs: report.jobs, exhausted: report.exhausted,
        findings: report.failures.map(\.description),
        unexplored: contenders.filter { !explorer.contenders.contains($0) })
    },
    aliases: contenderAliases, http: http)
}
