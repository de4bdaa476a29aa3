import Results
import UploadScenario

/// What samples are taken of: an upload scenario, an operation of a runtime, or anybody's benchmark.
package protocol Workload: Codable, Hashable, Sendable {
  /// Names it in every report; unique within a run.
  var name: String { get }
  /// Everything that makes it this one and no other, wherever it is measured; empty if that cannot be told.
  var definition: [String: String] { get }
  /// How many uploads or operations there are each time: what times are divided by.
  var fanOut: Int { get }
  /// Fills the columns that tell it from other work.
  func describe(_ sample: inout Sample)
  /// How long the parent waits for one iteration, spare seconds included. Asked once per cell: a post may have to be made up.
  var timeoutSeconds: Int { get }
  /// How much longer it waits for each iteration.
  var timeoutSecondsPerIteration: Double { get }
  var mostIterations: Int { get }
  /// Of a sample that is no cold one.
  var leastIterations: Int { get }
  /// Whether a sample begins with as many iterations that are not timed; nil: where one is found to be short.
  var isWarmed: Bool? { get }
  /// What is done where memory is measured; nil: it is not.
  var forMemory: Self? { get }
  /// Whether a contender has a worker for this alone.
  var ownsProcess: Bool { get }
  /// The edition of the contract that contenders fulfil in it; nil: there is none.
  static var contract: Int? { get }
  /// What one iteration is called in reports.
  static var iterationName: String { get }
  /// Whether the clock is read around every iteration, and not around a sample.
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
  /// With fewer uploads the pages of processes differ by more than uploads take.
  static var leastForMemory: Int { 1_000 }
}

extension Scenario: Workload {
  package static var contract: Int? { ContenderContract.edition }
  package static var iterationName: String { "post" }
  package static var timesEachIteration: Bool { true }

  /// Without its places: the same files may lie elsewhere on another machine.
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

  /// What a post is started behind takes far longer than the post.
  package var mostIterations: Int { behind > 0 ? 1 : 1_000 }

  /// So many that the first and the last, which have fewer beside them, are few.
  package var leastIterations: Int { overlap.map { 8 * $0 } ?? 1 }

  /// By what is known of it, so that it is the same for all contenders and in every run: where a contender's posts take about as
  /// long as would be short, chance decided it for that one alone, and a warm baseline stood beside cold contenders.
  package var isWarmed: Bool? {
    switch service {
    case .instant: fanOut < 10_000
    case .latency:
      // A fault ends a job early, unless it is survived.
      cancelAfter != nil || !faults.isEmpty && !pattern.races && !pattern.retries
        || latencyTrace(for: syntheticPost).idealNanoseconds(in: self)
          <= 4 * RunPlan<Scenario>.usualSampleNanoseconds
    // Dispatch ends threads that had nothing to do for five seconds. The second sample of the reference, soon after its first,
    // would find them, and no other contender's would.
    case .blocking: true
    case .file, .http: nil
    }
  }

  /// With none answered before all are in flight, where that can be: else those that are answered early hide what waiting takes.
  package var forMemory: Scenario? {
    if fanOut < Self.leastForMemory { return nil }
    var held = self
    if service == .instant { held.service = .latency }
    held.holdsAnswers = true
    return held.problem == nil ? held : self
  }
}

extension Scenario {
  /// The same with one upload that nothing disturbs; nil where it has no such form.
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
