import Results
import UploadScenario

/// Work to measure: an upload scenario, an operation of a runtime, or a benchmark.
package protocol Workload: Codable, Hashable, Sendable {
  /// The name of the work, unique within a run.
  var name: String { get }
  /// All parameters of the work, apart from the machine. Empty if unknown.
  var definition: [String: String] { get }
  /// The number of uploads or operations in one iteration, by which times are divided.
  var fanOut: Int { get }
  func describe(_ sample: inout Sample)
  /// How long the parent process waits for one iteration. Computing this may take as long as a whole post.
  var timeoutSeconds: Int { get }
  /// By how much each further iteration lengthens the timeout.
  var timeoutSecondsPerIteration: Double { get }
  var mostIterations: Int { get }
  var leastIterations: Int { get }
  /// Whether a sample has an untimed iteration for each timed one, before the first. `nil` means: only if iterations are short.
  var isWarmed: Bool? { get }
  /// A variant of the work with which memory is measured. `nil` means that memory is not measured.
  var forMemory: Self? { get }
  /// Whether each contender has a worker process for this work alone.
  var ownsProcess: Bool { get }
  /// The edition of the requirements on contenders. `nil` means that there are none.
  static var contract: Int? { get }
  static var iterationName: String { get }
  /// Whether the clock is read before and after each iteration, and not only before and after the sample.
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
  /// Memory is measured for scenarios with at least this many uploads. With fewer, differences between processes hide it.
  static var leastForMemory: Int { 1_000 }
}

extension Scenario: Workload {
  package static var contract: Int? { ContenderContract.edition }
  package static var iterationName: String { "post" }
  package static var timesEachIteration: Bool { true }

  /// All parameters except paths, which differ between machines.
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

  /// With background posts, which take far longer than the measured post, a sample has one iteration.
  package var mostIterations: Int { behind > 0 ? 1 : 1_000 }

  /// If posts overlap, a sample has so many that the first and last ones, which overlap less, hardly matter.
  package var leastIterations: Int { overlap.map { 8 * $0 } ?? 1 }

  /// The scenario alone decides where possible. If measured times decided, warm contenders might be compared with cold ones.
  package var isWarmed: Bool? {
    switch service {
    case .instant: fanOut < 10_000
    case .latency:
      // A fault ends a post early, except in patterns that retry or race.
      cancelAfter != nil || !faults.isEmpty && !pattern.races && !pattern.retries
        || latencyTrace(for: syntheticPost).idealNanoseconds(in: self)
          <= 4 * RunPlan<Scenario>.usualSampleNanoseconds
    // Without a warm-up, a sample would start new threads, since Dispatch ends threads that idle for five seconds.
    case .blocking: true
    case .file, .http: nil
    }
  }

  /// A variant whose service answers only when every upload is in flight, if possible: early answers would hide used memory.
  package var forMemory: Scenario? {
    if fanOut < Self.leastForMemory { return nil }
    var held = self
    if service == .instant { held.service = .latency }
    held.holdsAnswers = true
    return held.problem == nil ? held : self
  }
}

extension Scenario {
  /// The same scenario with one upload and without faults; `nil` if it cannot exist.
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
