extension Catalog {
  /// How long from the cancel to the caller's `CancellationError`? All uploads are under way when it comes.
  public static let cancellation: [Scenario] = [
    {
      var scenario = Scenario(name: "cancel-latency-100", service: .latency, fanOut: 100)
      scenario.latency = .fixed(nanoseconds: 500_000_000)
      scenario.cancelAfterNanoseconds = 1_000_000
      return scenario
    }()
  ]
}
