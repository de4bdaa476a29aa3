extension Catalog {
  /// How close to the ideal does an idiom come when uploads really take time?
  public static let efficiency: [Scenario] = [
    Scenario(name: name(.publish, .latency, 100), service: .latency, fanOut: 100),
    Scenario(name: name(.publish, .latency, 100, limit: 10), service: .latency, fanOut: 100, limit: 10),
  ]
}
