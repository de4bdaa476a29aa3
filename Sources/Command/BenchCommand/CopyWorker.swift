import Harness
import Results
import UploadScenario
import UploadServices

/// Takes samples of the yardstick: of what `cp` does with the files that the contenders publish.
final class CopyWorker: Worker {
  private var yardsticks: [Scenario: CopyYardstick] = [:]

  func run(_ request: SampleRequest<Scenario>) throws -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    // Nothing of another process can be counted from here.
    guard request.purpose == .time else { return reply }
    let yardstick = try yardstick(for: request.scenario)
    let disturbance = Disturbance.now()
    let usage = ResourceUsage.ofChildren()
    for _ in 0..<request.iterations { reply.wallNanoseconds += try yardstick.measure() }
    reply.usage.add(from: usage, to: .ofChildren())
    reply.disturbance = Disturbance.now().since(disturbance)
    return reply
  }

  private func yardstick(for scenario: Scenario) throws -> CopyYardstick {
    if let known = yardsticks[scenario] { return known }
    let yardstick = CopyYardstick(
      post: try Wiring.post(scenario), folder: Store.yardstickFolder(in: scenario.storeDirectory ?? ""),
      syncsToDisk: scenario.syncsToDisk)
    yardsticks[scenario] = yardstick
    return yardstick
  }
}

extension Scenario {
  /// Whether `cp` does the same with the same files: each is copied once, and that is all.
  var hasYardstick: Bool {
    service == .file && mediaDirectory != nil && (pattern == .publish || pattern == .sequence)
      && faults.isEmpty && cancelAfterNanoseconds == nil
  }
}
