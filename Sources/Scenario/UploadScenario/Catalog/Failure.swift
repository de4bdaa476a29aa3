extension Catalog {
  /// How long from the first failure to the caller's error? The first upload to end fails, the others are under way.
  public static let failure: [Scenario] = [
    {
      var scenario = Scenario(name: "failure-latency-100", service: .latency, fanOut: 100)
      scenario.order = .forward
      scenario.faults = Faults(failAt: 0)
      return scenario
    }()
  ]
}
