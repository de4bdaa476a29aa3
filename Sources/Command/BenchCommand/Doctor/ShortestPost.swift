import Analysis
import Harness
import UploadScenario

extension DoctorReadings.ShortestPost {
  /// Measures a post that is over as soon as any of those that a run takes; nil if it cannot be measured.
  static func measured(
    of contender: any Contender, by launcher: any WorkerLauncher<Scenario>
  ) -> DoctorReadings.ShortestPost? {
    let posts = Catalog.standard.filter {
      $0.service == .instant && contender.patterns.contains($0.pattern)
    }
    guard let scenario = posts.min(by: { $0.requestCount < $1.requestCount }),
      let worker = try? launcher.launch(contender: contender.name)
    else { return nil }
    defer { worker.stop() }
    // The first of them warm up; the fastest of all is the one that counts.
    let times = (0..<8).compactMap { _ -> Double? in
      guard let reply = try? worker.run(SampleRequest(scenario: scenario, iterations: 100)),
        reply.outcome == .measured
      else { return nil }
      return Double(reply.wallNanoseconds) / Double(reply.iterations)
    }
    return times.min().map { DoctorReadings.ShortestPost(scenario: scenario.name, nanoseconds: $0) }
  }
}
