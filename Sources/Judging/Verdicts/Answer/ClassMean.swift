import Foundation
import Results
import Statistics

/// A contender's time or processor time as a multiple of another's: the geometric mean over the scenarios of a class of work.
public struct ClassMean: Sendable, Equatable {
  public let ratio: Double
  /// The 95 % interval, computed from the differences between processes (``ClusteredMean``); `nil` for too few samples.
  public let interval: ClosedRange<Double>?
  /// The number of scenarios in which both contenders were measured.
  public let scenarios: Int
  /// The number of undecided scenarios. The run's verdict counts if the other contender is the run's reference, otherwise the interval.
  public let undecided: Int
  public let finding: Finding
  /// The smallest and the largest ratio, if one is decided well below 1 and one well above 1. The mean is then misleading.
  public let apart: ClosedRange<Double>?
  /// The scenarios of the mean, one by one; empty for a mean that is read from a file.
  let jobs: [Job]

  struct Job: Sendable, Equatable {
    let scenario: String
    /// The number of uploads that start concurrently, for a `publish` without a limit; otherwise `nil`.
    let uploads: Int?
    let ratio: Double
    let finding: Finding
  }

  /// What the interval of a ratio proves.
  public enum Finding: String, Sendable, Codable {
    case less
    case more
    /// The interval lies within the run's margin of 1. A small difference may exist.
    case same
    /// The interval proves neither less, nor more, nor the same.
    case open

    var inverse: Finding { self == .less ? .more : self == .more ? .less : self }
  }
}

extension ClassMean {
  /// One scenario of a class of work, with the paired samples of two contenders.
  fileprivate struct Part {
    let scenario: ScenarioReport
    let samples: PairedSamples
    /// The run's verdict; `nil` if the other contender is not the run's reference.
    let verdict: Verdict?
  }

  /// Returns `nil` if there are no paired samples.
  fileprivate init?(_ parts: [Part], margin: Double) {
    let parts = parts.filter { !$0.samples.pairs.isEmpty }
    var clusters: [ProcessKey: Int] = [:]
    let values = parts.map { part in
      let numbers = part.samples.processes.flatMap { process in
        let number = clusters[process.key, default: clusters.count]
        clusters[process.key] = number
        return repeatElement(number, count: process.pairs)
      }
      return zip(numbers, part.samples.logRatios).map { (cluster: $0, value: $1) }
    }
    guard
      let mean = ClusteredMean(
        of: values, level: Comparison.level, fewestClusters: AnalysisOptions.fewestProcesses)
    else { return nil }
    ratio = LogRatio.ratio(mean.mean)
    let known = parts.allSatisfy { $0.samples.pairs.count >= Looks.fewestValues } ? mean.interval : nil
    interval = known.map { LogRatio.ratio($0.lowerBound)...LogRatio.ratio($0.upperBound) }
    finding = Finding(interval, margin: margin)
    scenarios = parts.count
    jobs = parts.map { part in
      let estimate = RatioEstimate(part.samples)
      let own = part.verdict.map(Finding.init) ?? Finding(estimate.interval, margin: margin)
      let isPlain =
        part.scenario.pattern == "publish" && part.scenario.inFlightLimit == nil && part.scenario.about == nil
      return Job(
        scenario: part.scenario.name, uploads: isPlain ? part.scenario.fanOut : nil,
        ratio: estimate.ratio ?? 1, finding: own)
    }
    undecided = jobs.count { $0.finding == .open }
    let (less, more) = (jobs.filter { $0.finding == .less }, jobs.filter { $0.finding == .more })
    let (least, most) = (less.map(\.ratio).min() ?? 1, more.map(\.ratio).max() ?? 1)
    apart = least < 1 / Self.far && most > Self.far ? least...most : nil
  }

  /// The inverse ratio: the other contender's time as a multiple of this one's.
  var inverse: ClassMean {
    ClassMean(
      ratio: 1 / ratio, interval: interval.map { 1 / $0.upperBound...1 / $0.lowerBound },
      scenarios: scenarios, undecided: undecided, finding: finding.inverse,
      apart: apart.map { 1 / $0.upperBound...1 / $0.lowerBound },
      jobs: jobs.map {
        Job(scenario: $0.scenario, uploads: $0.uploads, ratio: 1 / $0.ratio, finding: $0.finding.inverse)
      })
  }

  /// If a decided ratio is above this factor and another one is below its inverse, a report shows the extreme ratios.
  private static let far = 1.1
}

extension ClassMean.Finding {
  fileprivate init(_ interval: ClosedRange<Double>?, margin: Double) {
    switch interval {
    case .some(let interval) where interval.lowerBound > 1 / (1 + margin) && interval.upperBound < 1 + margin:
      self = .same
    case .some(let interval) where interval.lowerBound > 1: self = .more
    case .some(let interval) where interval.upperBound < 1: self = .less
    default: self = .open
    }
  }

  fileprivate init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .faster: .less
      case .slower: .more
      case .equivalent: .same
      case .unresolved: .open
      }
  }
}

/// A run's mean ratios over each class of work: each contender relative to the reference, and to each contender that comes with Swift.
struct ClassMeans: Sendable, Equatable {
  struct Key: Hashable {
    let workClass: ScenarioClass
    let contender: String
    let reference: String
  }

  /// The contenders that ratios are relative to, with the run's reference first.
  let references: [String]
  let time: [Key: ClassMean]
  let processor: [Key: ClassMean]

  init(
    _ cells: [CellKey: CellSamples], _ scenarios: [ScenarioReport], _ comparisons: CellComparisons,
    options: AnalysisOptions
  ) {
    let ranked = cells.values.filter(\.isRankable)
    let shipped = ranked.map(\.key.contender).unique().filter {
      // Variants (contenders with a slash in the name) are not used as references.
      options.idioms[$0]?.shipsWith == "toolchain" && !$0.contains("/")
    }
    let references = ([options.reference] + shipped.sorted()).unique()
    self.references = references
    let contenders = ranked.map(\.key.contender).unique()
    let classes = scenarios.filter { $0.context == nil }.compactMap { scenario in
      scenario.workClass.map { (workClass: $0, scenario: scenario) }
    }.grouped(by: \.workClass)
    func means(
      _ measure: KeyPath<CellSamples, TurnValues> & Sendable, _ judged: [CellKey: Comparison]
    ) -> [Key: ClassMean] {
      let keys = classes.keys.flatMap { workClass in
        contenders.flatMap { contender in
          references.filter { $0 != contender }.map {
            Key(workClass: workClass, contender: contender, reference: $0)
          }
        }
      }
      let means = keys.concurrentMap { key in
        let parts = (classes[key.workClass] ?? []).compactMap { _, scenario -> ClassMean.Part? in
          let place = scenario.place
          guard let candidate = cells[CellKey(contender: key.contender, place: place)], candidate.isRankable,
            let other = cells[CellKey(contender: key.reference, place: place)], other.isRankable
          else { return nil }
          return ClassMean.Part(
            scenario: scenario,
            samples: PairedSamples(candidate: candidate, reference: other, of: measure),
            verdict: key.reference == options.reference ? judged[candidate.key]?.verdict : nil)
        }
        return ClassMean(parts, margin: options.equivalenceMargin)
      }
      return zip(keys, means).keyed { $0 }.compactMapValues(\.self)
    }
    time = means(\.wallNanosecondsByTurn, comparisons.time)
    processor = means(\.processorNanosecondsByTurn, comparisons.processor)
  }
}
