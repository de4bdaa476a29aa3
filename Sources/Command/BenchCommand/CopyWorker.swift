import Harness
import Results
import UploadScenario
import UploadServices

/// Takes samples of the external baseline: of what `cp` does with the files that the contenders publish.
final class CopyWorker: Worker {
  private var baselines: [Scenario: CopyBaseline] = [:]

  func run(_ request: SampleRequest<Scenario>) throws -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    // Nothing of another process can be counted from here.
    guard request.purpose == .time else { return reply }
    let baseline = try baseline(for: request.scenario)
    let disturbance = Disturbance.now()
    let usage = ResourceUsage.ofChildren()
    for _ in 0..<request.iterations { reply.wallNanoseconds += try baseline.measure() }
    reply.usage.add(from: usage, to: .ofChildren())
    reply.disturbance = Disturbance.now().since(disturbance)
    return reply
  }

  private func baseline(for scenario: Scenario) throws -> CopyBaseline {
    if let known = baselines[scenario] { return known }
    let baseline = CopyBaseline(
      post: try Wiring.post(scenario),
      folder: Store.externalBaselineFolder(in: scenario.storeDirectory ?? ""),
      syncsToDisk: scenario.syncsToDisk)
    baselines[scenario] = baseline
    return baseline
  }
}

extension Scenario {
  /// Whether `cp` does the same with the same files: each is copied once, and that is all.
  var hasExternalBaseline: Bool {
    service == .file && mediaDirectory != nil && pattern.unit == .upload && pattern.requests == .one
      && !pattern.blocksThreads && faults.isEmpty && cancelAfter == nil
  }
}
