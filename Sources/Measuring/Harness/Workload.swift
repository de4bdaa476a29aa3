import Results
import UploadScenario

/// Work to measure: an upload scenario, an operation of a runtime, or a benchmark.
package protocol Workload: Codable, Hashable, Sendable {
  /// Unique within a run.
  var name: String { get }
  /// Everything that defines it, independent of the machine; empty if unknown.
  var definition: [String: String] { get }
  /// The number of uploads or operations in one iteration, by which times are divided.
  var fanOut: Int { get }
  func describe(_ sample: inout Sample)
  /// How long the parent waits for one iteration, spare seconds included. Read once per cell, because it may need a whole post.
  var timeoutSeconds: Int { get }
  /// How much longer it waits for each iteration.
  var timeoutSecondsPerIteration: Double { get }
  var mostIterations: Int { get }
  /// The least iterations of a warm sample.
  var leastIterations: Int { get }
  /// Whether a sample begins with as many untimed iterations; nil: only if one is found to be short.
  var isWarmed: Bool? { get }
  /// The work of a memory pass; nil: there is none.
  var forMemory: Self? { get }
  /// Whether it has a worker of its own for each contender.
  var ownsProcess: Bool { get }
  /// The edition of the contenders' contract; nil: there is none.
  static var contract: Int? { get }
  static var iterationName: String { get }
  /// Whether the clock is read around every iteration, not around a sample.
  static var timesEachIteration: Bool { get }
}

extension Workload {
  package var definition: [String: String] { (try? Definition.leaves(of: self)) ?? [:] }
  package var mostIterations: Int { 1_000 }
  package var leastIterations: Int { 1 }
  package var isWarmed: Bool? { nil }
  package var ownsProcess: Bool { false }
  package static var contract: Int? { nil }
  package static var iterationName: String { "iteration" }
  package static var timesEachIteration: Bool { false }
  package var forMemory: Self? { fanOut >= Self.leastForMemory ? self : nil }
  /// With fewer uploads, processes differ by more memory than uploads take.
  static var leastForMemory: Int { 1_000 }
}

extension Scenario: Workload {
  package static var contract: Int? { ContenderContract.edition }
  package static var iterationName: String { "post" }
  package static var timesEachIteration: Bool { true }

  /// Without paths, which differ between machines.
  package var definition: [String: String] {
    var scenario = self
    scenario.mediaDirectory = nil
    scenario.storeDirectory = nil
    scenario.endpoint = nil
    return (try? Definition.leaves(of: scenario)) ?? [:]
  }

  package func describe(_ sample: inout Sample) {
    (sample.pattern, sample.service) = (pattern.rawValue, service.rawValue)
    (sample.inFlightLimit, sample.payloadBytes) = (limit, payloadBytes)
  }

  /// The posts before one with `behind` take far longer than the post.
  package var mostIterations: Int { behind > 0 ? 1 : 1_000 }

  /// So many that the first and the last posts, which overlap with fewer, hardly matter.
  package var leastIterations: Int { overlap.map { 8 * $0 } ?? 1 }

  /// Decided by the scenario where possible, so that all contenders and runs agree: near the limit a measurement would decide by
  /// chance, and compare a warm baseline with cold contenders.
  package var isWarmed: Bool? {
    switch service {
    case .instant: fanOut < 10_000
    case .latency:
      // A fault ends a job early, unless the pattern survives it.
      cancelAfter != nil || !faults.isEmpty && !pattern.races && !pattern.retries
        || latencyTrace(for: syntheticPost).idealNanoseconds(in: self)
          <= 4 * RunPlan<Scenario>.usualSampleNanoseconds
    // Dispatch ends idle threads after five seconds: otherwise only the reference's second sample in a round would find some.
    case .blocking: true
    case .file, .http: nil
    }
  }

  /// Holds all answers until every upload is in flight, if possible: early answers would hide the memory of waiting.
  package var forMemory: Scenario? {
    if fanOut < Self.leastForMemory { return nil }
    var held = self
    if service == .instant { held.service = .latency }
    held.holdsAnswers = true
    return held.problem == nil ? held : self
  }
}

extension Scenario {
  /// The same with one upload and no faults; nil if there is no such form.
  var ofOneUpload: Scenario? {
    guard mediaDirectory == nil, !pattern.looksUp else { return nil }
    var small = self
    (small.photos, small.videos) = (1, 0)
    if pattern.isChunked { small.payloadBytes = chunkBytes }
    small.faults = Faults()
    small.behind = 0
    small.cancelAfter = nil
    return small
  }
}
