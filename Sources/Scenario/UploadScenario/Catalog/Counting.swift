extension Catalog {
  /// How often does an idiom allocate, retain and release? Of every pattern a small one, most of them on the service that
  /// waits for nothing, because what happens repeats best so.
  public static let counting: [Scenario] =
    [1, 10, 100].map { Scenario(name: name(.publish, .instant, $0), fanOut: $0) } + [
      Scenario(name: name(.publish, .instant, 100, limit: 8), fanOut: 100, limit: 8),
      Scenario(name: name(.publish, .latency, 10), service: .latency, fanOut: 10),
      Scenario(name: name(.sequence, .instant, 10), pattern: .sequence, fanOut: 10),
      Scenario(name: name(.zip, .instant, 3), pattern: .zip, fanOut: 0),
      Scenario(name: name(.presigned, .instant, 10), pattern: .presigned, fanOut: 10),
      {
        var scenario = Scenario(name: name(.stream, .instant, 100), pattern: .stream, fanOut: 1)
        scenario.chunkBytes = 512
        scenario.payloadBytes = 100 * scenario.chunkBytes
        return scenario
      }(),
      {
        var scenario = Scenario(name: name(.race, .instant, 10), pattern: .race, fanOut: 10)
        scenario.hedgeDelay = .zero
        return scenario
      }(),
      {
        // One of the uploads takes a second attempt.
        var scenario = Scenario(name: name(.resilient, .instant, 10), pattern: .resilient, fanOut: 10)
        scenario.faults = Faults(failAt: 4, kind: .transient, failingAttempts: 1)
        return scenario
      }(),
    ]
}
