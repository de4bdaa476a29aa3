import Results
import UploadScenario

/// Work to measure: an upload scenario, an operation of a runtime, or a benchmark.
package protocol Workload: Codable, Hashable, Sendable {
  /// The name of the work, unique within a run.
  var name: String { get }
  /// Everything that defines the work, apart from the machine. Empty if unknown.
  var definition: [String: String] { get }
  /// The number of uploads or operations in one iteration, by which times are divided.
  var fanOut: Int { get }
  func describe(_ sample: inout Sample)
  /// The parent's timeout for one iteration. Read this property once, since computing it may take as long as a whole post.
  var timeoutSeconds: Int { get }
  /// The time in seconds by which each further iteration lengthens the timeout.
  var timeoutSecondsPerIteration: Double { get }
  var mostIterations: Int { get }
  /// The minimum number of iterations in a warm sample.
  var leastIterations: Int { get }
  /// Whether a sample starts with as many untimed iterations. `nil` means that it does if an iteration turns out to be short.
  var isWarmed: Bool? { get }
  /// The work that a memory pass does. `nil` means that this work has no memory pass.
  var forMemory: Self? { get }
  /// Whether this work has its own worker process for each contender.
  var ownsProcess: Bool { get }
  /// The edition of the contract that contenders fulfil. `nil` means that there is no contract.
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
  /// The minimum number of uploads to measure memory. With fewer, the difference between processes exceeds the uploads' memory.
  static var leastForMemory: Int { 1_000 }
}

extension Scenario: Workload {
  package static var contract: Int? { ContenderContract.edition }
  package static var iterationName: String { "post" }
  package static var timesEachIteration: Bool { true }

  /// Paths are left out because they differ between machines.
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

  /// With `behind`, the background posts take far longer than the measured post, so one iteration is enough.
  package var mostIterations: Int { behind > 0 ? 1 : 1_000 }

  /// The minimum is eight times the overlap, so that the first and last posts, which overlap less, hardly matter.
  package var leastIterations: Int { overlap.map { 8 * $0 } ?? 1 }

  /// The result depends only on the scenario where possible, so that all contenders and runs agree. If a measurement decided
  /// near the limit, a warm baseline might be compared with cold contenders.
  package var isWarmed: Bool? {
    switch service {
    case .instant: fanOut < 10_000
    case .latency:
      // A fault ends a job early, except in patterns that retry or that race.
      cancelAfter != nil || !faults.isEmpty && !pattern.races && !pattern.retries
        || latencyTrace(for: syntheticPost).idealNanoseconds(in: self)
          <= 4 * RunPlan<Scenario>.usualSampleNanoseconds
    // Dispatch ends threads that idle for five seconds. Without warm-up, only the reference's second sample would find some.
    case .blocking: true
    case .file, .http: nil
    }
  }

  /// Holds all answers until every upload is in flight, if possible. Early answers would hide the memory of uploads that wait.
  package var forMemory: Scenario? {
    if fanOut < Self.leastForMemory { return nil }
    var held = self
    if service == .instant { held.service = .latency }
    held.holdsAnswers = true
    return held.problem == nil ? held : self
  }
}

extension Scenario {
  /// The same scenario with one upload and without faults. `nil` if no such scenario exists.
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
