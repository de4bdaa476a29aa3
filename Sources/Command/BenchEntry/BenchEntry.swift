import FanoutCommand
import Exploration
import Registry
import UploadExploration
import UploadServices

/// Runs `bench` or `bench-http` with every contender of this package.
///
/// - Parameter http: creates the client for uploads to a real server. `nil`: runs that need a client start `bench-http` instead.
public func runBench(http: (@Sendable () -> any HTTPTransport)? = nil) -> Never {
  Bench.main(
    contenders: contenders, variants: variants, idioms: idioms, runtimes: runtimeContenders,
    explore: explored,
    aliases: contenderAliases, http: http)
}

@Sendable private func explored(
  _ request: ExplorationRequest, _ giveUp: @escaping @Sendable (ExplorationReport) -> Void
) -> ExplorationReport {
  let explorer = Explorer(seed: request.seed)
  @Sendable func report(_ report: Explorer.Report) -> ExplorationReport {
    ExplorationReport {
      ($0.schedules, $0.jobs) = (report.schedules, report.jobs)
      $0.findings = report.failures.map { failure in
        failure.description + (failure.file.map { "; replay it: bench verify --replay \($0)" } ?? "")
      }
      $0.coverage = report.coverage.map {
        ExplorationReport.Coverage(contender: $0.contender, job: $0.job, isExhausted: $0.isExhausted)
      }
      $0.unexplored = request.contenders.filter { !explorer.contenders.contains($0) }
    }
  }
  guard let path = request.replaying else {
    return report(
      explorer.explore(request.contenders, patterns: request.patterns, budget: request.budget) {
        giveUp(report($0))
      })
  }
  @Sendable func replayed(_ failure: Explorer.Failure?) -> ExplorationReport {
    ExplorationReport {
      ($0.schedules, $0.jobs) = (1, 1)
      $0.findings = failure.map { [$0.story] } ?? []
    }
  }
  do {
    return replayed(try explorer.replay(ScheduleFile(path: path)) { giveUp(replayed($0)) })
  } catch { return ExplorationReport { $0.findings = ["\(error)"] } }
}
