import Verdicts
import Foundation
import Results

@testable import Exports

/// A small run whose times, and samples that do not count, are known.
enum FixedRun {
  /// Of each of two generations after the warm-up; the third is disturbed.
  private static let rounds = 7

  static func cell(
    _ contender: String, _ scenario: String = "publish-instant-100", microseconds: Int, fanOut: Int = 100,
    limit: Int? = nil, rounds: Int = rounds, outcome: Outcome = .measured, machine: String? = nil
  ) -> [Sample] {
    (0..<2).flatMap { generation in
      (0...rounds).map { round in
        // A disturbance affects all contenders of a round.
        let shared = (microseconds * 1_000) * (100 + (generation * 5 + round * 3) % 8) / 100
        let wall = shared + microseconds * ((contender.utf8.count + 7 * round + 3 * generation) % 11)
        let isMeasured = outcome == .measured
        var sample = Sample {
          ($0.run, $0.generation, $0.round, $0.position) = ("fixed", generation, round, 0)
          ($0.contender, $0.scenario, $0.pattern, $0.service) = (contender, scenario, "publish", "instant")
          ($0.fanOut, $0.inFlightLimit, $0.payloadBytes, $0.iterations) = (fanOut, limit, 65_536, 20)
          ($0.outcome, $0.reason) = (outcome, isMeasured ? nil : "ended with an error: media 3")
        }
        guard isMeasured else { return sample }
        sample.wallNanoseconds = round == 0 ? 10 * wall : wall
        sample.cpuUserNanoseconds = wall / 2
        sample.cpuSystemNanoseconds = wall / 4
        (sample.voluntarySwitches, sample.involuntarySwitches) = (1_000 + 20 * round, 20 * generation)
        // The first rounds count nothing.
        sample.allocations = round == 0 ? nil : 20 * fanOut * 4 + (contender == "futures" ? generation : 0)
        sample.peakRSSBytes = 20_000_000 + microseconds
        sample.dropped = round == 0 ? .warmUp : round == 3 && rounds > 3 ? .disturbed : nil
        sample.machine = machine
        return sample
      }
    }
  }

  /// A tie, a variant with a slash in its name, a failing contender, a limit, and a scenario with too few rounds.
  static let samples =
    cell("callbacks", microseconds: 100) + cell("futures", microseconds: 200)
    + cell("swift-concurrency/detached", microseconds: 450)
    + cell("operations", microseconds: 0, outcome: .failed)
    + cell("callbacks", "publish-instant-8-limit-4", microseconds: 30, fanOut: 8, limit: 4, rounds: 2)
    + cell("futures", "publish-instant-8-limit-4", microseconds: 31, fanOut: 8, limit: 4, rounds: 2)

  static let environment = EnvironmentRecord {
    ($0.run, $0.commandLine, $0.seed, $0.reference) = ("fixed", ["bench", "run"], 7, "callbacks")
    $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
    ($0.generations, $0.buildConfiguration, $0.toolchain) = (2, "release", "Swift version 6.3.1")
    ($0.commit, $0.isDirty, $0.operatingSystem) = ("0123456789abcdef", true, "Example OS 1")
    ($0.architecture, $0.cpuModel, $0.coreCount, $0.machine) = ("x86_64", "Example CPU", 2, "node-1")
  }

  static func run(
    _ samples: [Sample] = samples, environment: EnvironmentRecord = environment,
    choosing isChosen: (CellKey) -> Bool = { _ in true }
  ) -> ExportedRun {
    let analysis = RunAnalysis(
      run: "fixed", samples: samples,
      options: AnalysisOptions(reference: "callbacks") { $0.rankResamples = 0 })
    return ExportedRun(analysis, samples: samples, environment: environment, choosing: isChosen)
  }
}
