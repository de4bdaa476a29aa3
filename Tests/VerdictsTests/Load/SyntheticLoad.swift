import Results

@testable import Verdicts

/// Made-up windows of load, to be judged.
enum SyntheticLoad {
  /// A second of a machine with two processors.
  struct Machine {
    var process = 0.2
    var others = 0.0
    var steal = 0.0
  }

  /// - Parameters:
  ///   - latencyNanoseconds: of post i.
  static func window(
    _ contender: String = "futures", perSecond: Double = 1_000, seconds: Double = 3, round: Int = 0,
    drainNanoseconds: UInt64 = 0, latenessNanoseconds: UInt64 = 20_000, machine: Machine = Machine(),
    latencyNanoseconds: (Int) -> UInt64 = { 4_000_000 + UInt64($0 % 100) * 10_000 }
  ) -> LoadWindow {
    var window = LoadWindow()
    window.subject = LoadSubject {
      ($0.run, $0.contender, $0.scenario) = ("made-up", contender, "publish-latency-10")
      ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "latency", 10, 65_536)
      $0.schedule = "poisson"
    }
    window.round = round
    window.offeredPerSecond = perSecond
    window.windowNanoseconds = Int(seconds * 1e9)
    let posts = Int(perSecond * seconds)
    window.posts.due = posts
    window.posts.completed = posts
    window.posts.peakInFlight = 7
    window.idealNanoseconds = 3_000_000
    for post in 0..<posts {
      window.latencies.add(latencyNanoseconds(post))
      window.lateness.add(latenessNanoseconds)
      window.holdUps.add(0)
    }
    window.earlyLatencyNanoseconds = latencyNanoseconds(0)
    window.drainNanoseconds = Int(drainNanoseconds)
    let capacity = 2 * seconds * 1e9
    window.processNanoseconds = UInt64(machine.process * capacity)
    window.busyNanoseconds = UInt64((machine.process + machine.others) * capacity)
    window.stealNanoseconds = Int(machine.steal * capacity)
    window.idleNanoseconds = UInt64(max(0, 1 - machine.process - machine.others - machine.steal) * capacity)
    return window
  }

  static let objective = LatencyObjective(percentile: .p99, nanoseconds: 10_000_000)

  /// One of each kind.
  static let windows: [LoadWindow] = {
    var windows: [LoadWindow] = []
    for round in 0..<4 {
      windows.append(window("callbacks", round: round))
      windows.append(
        window("futures", round: round, machine: round == 1 ? Machine(others: 0.8) : Machine()) {
          round == 1 ? 90_000_000 : 5_000_000 + UInt64($0)
        })
      windows.append(window("operations", round: round) { $0 % 50 == 0 ? 30_000_000 : 6_000_000 })
      windows.append(
        window("coroutines", round: round, drainNanoseconds: 1_000_000_000, machine: Machine(process: 0.9)) {
          UInt64($0) * 400_000 + 1_000_000
        })
      windows.append(
        window("a-name-that-leaves-no-room", round: round, latenessNanoseconds: 3_000_000) { _ in
          40_000_000
        })
    }
    var wrong = window("gcd-groups")
    wrong.outcome = .wrong
    wrong.reason = "post: got created 2 times, expected created once"
    return windows + [wrong]
  }()

  static let limits = [
    LoadLimit {
      ($0.run, $0.contender, $0.scenario) = ("made-up", "callbacks", "publish-latency-10")
      ($0.objectivePercentile, $0.objectiveNanoseconds, $0.heldPerSecond) = ("p99", 10_000_000, 1_000)
      ($0.missedPerSecond, $0.windows, $0.outcome) = (1_090, 17, .measured)
    },
    LoadLimit {
      ($0.run, $0.contender, $0.scenario) = ("made-up", "operations", "publish-latency-10")
      ($0.objectivePercentile, $0.objectiveNanoseconds, $0.windows) = ("p99", 10_000_000, 4)
      $0.isMonotone = false
      $0.outcome = .measured
      $0.reason = "time was up before the search was through"
    },
  ]

  static let analysis = LoadAnalysis(run: "made-up", windows, rule: LoadRule(objective: objective))
  static let search = LoadAnalysis(
    run: "made-up", windows, rule: LoadRule(objective: objective), limits: limits)
}
