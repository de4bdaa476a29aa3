import BenchCommand
import ContenderRegistry
import Exploration
import RuntimeRegistry

Bench.main(
  contenders: contenders, variants: variants, runtimes: runtimeContenders,
  explore: { contenders, patterns, seed, budget in
    let report = Explorer(seed: seed).explore(contenders, patterns: patterns, budget: budget)
    return ExplorationReport(
      schedules: report.schedules, jobs: report.jobs, exhausted: report.exhausted,
      findings: report.findings.map(\.description))
  })
