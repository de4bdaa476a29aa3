extension Catalog {
  /// How close to the ideal does an idiom come when uploads really take time?
  public static let efficiency: [Scenario] = [
    Scenario(name: name(.publish, .latency, 100), service: .latency, fanOut: 100),
    {
      // Ten waves of uploads: shorter ones, so that a post takes not much longer than the others.
      var scenario = Scenario(
        name: name(.publish, .latency, 100, limit: 10), service: .latency, fanOut: 100, limit: 10)
      scenario.latency = .logNormal(medianNanoseconds: 1_000_000, sigma: 0.5)
      return scenario
    }(),
    {
      // Two requests for each media: shorter ones still.
      var scenario = Scenario(
        name: name(.presigned, .latency, 100, limit: 10), pattern: .presigned, service: .latency, fanOut: 100,
        limit: 10)
      scenario.latency = .logNormal(medianNanoseconds: 500_000, sigma: 0.5)
      return scenario
    }(),
    Scenario(name: name(.zip, .latency, 3), pattern: .zip, service: .latency, fanOut: 0),
    Scenario(name: name(.zipSerial, .latency, 3), pattern: .zipSerial, service: .latency, fanOut: 0),
  ]
}
