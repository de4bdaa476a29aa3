import Results
import Statistics

/// What a report shows in addition to the analysis.
public struct ReportContext: Sendable {
  public var environment: EnvironmentRecord?
  /// Commands that the user can try next, one a line.
  public var nextSteps: [String]
  /// The path of summary.csv, if there is one.
  public var numbers: String?
  /// The runs that measured contenders which this run did not measure.
  public var others: [OtherRun]

  public init(
    environment: EnvironmentRecord? = nil, nextSteps: [String] = [], numbers: String? = nil,
    others: [OtherRun] = []
  ) {
    self.environment = environment
    self.others = others
    self.numbers = numbers
    self.nextSteps = nextSteps
  }

  /// The command that repeats the measurement; empty if unknown.
  var commandLine: [String] {
    let words = environment?.commandLine ?? []
    return words.isEmpty ? [] : [words.joined(separator: " ")]
  }
}

/// Notes that every report shows. Control characters in recorded text are escaped.
public enum ReportNotes {
  /// Reasons why the numbers are not trustworthy, which begin every report.
  static func warnings(_ context: ReportContext) -> [String] {
    var warnings: [String] = []
    if context.environment?.buildConfiguration == "debug" {
      warnings.append("debug build: these numbers say nothing about a release build")
    }
    if let end = context.environment?.earlyEnd {
      warnings.append("this run \(end), so it is incomplete")
    }
    return warnings + (context.environment?.warnings ?? []).map(SafeText.visible)
  }

  /// Sentences on the time of a hand-over between threads, on sleeping processors, and on scenarios with more threads than processors.
  static func conditions(_ environment: EnvironmentRecord?) -> [String] {
    let crowds = [environment?.notes["threads"]].compactMap(\.self).map(SafeText.visible)
    let isAwake = environment?.latencyRequestMicroseconds != nil
    guard let handOvers = environment?.handOvers, !handOvers.isEmpty else {
      return (isAwake ? ["Processors were kept awake (--awake)."] : []) + crowds
    }
    let awake = isAwake ? ", with processors kept awake (--awake)" : ""
    // Times of a hand-over between threads may differ tenfold between processes, so their range is shown.
    return [
      "To wake a thread takes \(span(handOvers, \.medianNanoseconds)) (p90 \(span(handOvers, \.p90Nanoseconds)))\(awake)."
    ] + crowds
  }

  /// The range over all generations of worker processes, such as `2.8 to 32.7 µs`.
  static func span(_ handOvers: [HandOverRecord], _ value: (HandOverRecord) -> Double) -> String {
    let values = handOvers.map(value)
    guard let least = values.min(), let most = values.max() else { return "" }
    let (low, high) = (NumberText.time(least), NumberText.time(most))
    return low == high ? low : NumberText.span(least, most)
  }

  /// Sentences about what was dropped or not measured.
  static func leftOut(_ analysis: RunAnalysis, _ context: ReportContext) -> [String] {
    let warmUp = analysis.droppedSamples[.warmUp, default: 0]
    let disturbed = analysis.droppedSamples[.disturbed, default: 0]
    var notes = [
      "Left out of \(Plural.counted(analysis.sampleCount, "sample")): \(warmUp) warm-up, \(disturbed) disturbed."
    ]
    if disturbed > 0, let rule = context.environment?.notes["drop_rule"] {
      notes.append("Rule for what is disturbed: \(rule).")
    }
    if let serviceClass = context.environment?.notes["service_class"] {
      notes.append("Scheduling class of the services' threads: \(serviceClass).")
    }
    if !analysis.missing.isEmpty {
      notes.append("Not measured: " + analysis.missing.map(\.description).joined(separator: ", ") + ".")
    }
    let single = analysis.scenarios.filter { $0.cells.contains { $0.summary.samples == 1 } }.map(\.name)
      .unique()
    if !single.isEmpty {
      notes.append(
        "One sample only, and so no interval: \(single.joined(separator: ", ")). A longer --budget takes more."
      )
    }
    let fewest = Looks.fewestValues
    let most = analysis.scenarios.flatMap(\.cells).compactMap { $0.comparison?.pairs }.max()
    if let most, most < fewest {
      notes.append(
        "Too few rounds to distinguish anything: \(Plural.counted(most, "pair")) at most, but at least \(fewest) are needed. Give a longer --budget."
      )
    }
    if most != nil, analysis.generations < sufficientGenerations {
      notes.append(
        "Only \(Plural.counted(analysis.generations, "generation")) of processes: too few to know how one process differs from the next, so a difference of a few per cent proves little."
      )
    }
    return notes.map(SafeText.visible)
  }

  /// With fewer generations than this, false verdicts are likelier than stated, because rounds of a process correlate.
  private static let sufficientGenerations = 6

  /// The machines of a merged run, one a line.
  static func machines(_ environment: EnvironmentRecord?) -> [String] {
    let parts = environment?.parts ?? []
    let names = parts.compactMap(\.machine).unique()
    guard names.count > 1 else { return [] }
    return names.compactMap { name in
      parts.first { $0.machine == name }.map { part in
        let facts: [String?] = [
          part.cpuModel, part.coreCount.map { Plural.counted($0, "core") }, part.operatingSystem,
          part.kernel.map { "kernel \($0)" },
        ]
        return SafeText.visible("\(name): " + facts.compactMap(\.self).joined(separator: ", "))
      }
    }
  }

  /// A caption for every chart: machine, Swift version, date, commit, and systems that were not measured.
  static func place(_ environment: EnvironmentRecord?) -> String {
    guard let environment else { return "" }
    let machines = Set((environment.parts ?? []).compactMap(\.machine)).count
    let system = environment.operatingSystem.map { String($0.prefix { $0 != "(" }).trimmed }
    let isApple = environment.operatingSystem.map { $0.contains("macOS") || $0.contains("Darwin") } ?? false
    let parts: [String?] = [
      machines > 1
        ? Plural.counted(machines, "machine")
        : [environment.cpuModel, environment.coreCount.map { Plural.counted($0, "core") }, system]
          .compactMap(\.self).joined(separator: ", "),
      environment.toolchain.flatMap { $0.firstMatch(of: /Swift version [0-9.]+/) }.map {
        String($0.output).replacing("version ", with: "")
      } ?? environment.toolchain,
      environment.startedAt.formatted(.iso8601.year().month().day()),
      environment.commit.map { "commit \($0.prefix(8))" + (environment.isDirty == true ? " + changes" : "") },
      isApple ? nil : "not measured on Apple hardware",
    ]
    return SafeText.visible(parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · "))
  }

  /// The machine and the build in one line; empty if unknown.
  static func machine(_ environment: EnvironmentRecord?) -> [String] {
    guard let environment else { return [] }
    let parts: [String?] = [
      environment.cpuModel, environment.coreCount.map { Plural.counted($0, "core") },
      environment.operatingSystem, environment.toolchain, environment.buildConfiguration,
      environment.commit.map {
        "commit \($0.prefix(12))" + (environment.isDirty == true ? " + changes" : "")
      },
      "seed \(environment.seed)",
    ]
    return [SafeText.visible(parts.compactMap(\.self).joined(separator: ", "))]
  }
}
