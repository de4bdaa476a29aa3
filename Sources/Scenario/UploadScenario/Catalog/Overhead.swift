extension Catalog {
  /// What does an idiom cost when the work itself costs nothing?
  public static let overhead: [Scenario] =
    [0, 1, 10, 100, 1_000, 10_000].map { fanOut in
      Scenario(name: name(.publish, .instant, fanOut), fanOut: fanOut)
    } + [
      Scenario(name: name(.publish, .instant, 1_000, limit: 8), fanOut: 1_000, limit: 8),
      Scenario(name: name(.sequence, .instant, 100), pattern: .sequence, fanOut: 100),
      Scenario(name: name(.zip, .instant, 3), pattern: .zip, fanOut: 0),
      {
        // Chunks so small that reading them takes less than handing them over.
        var scenario = Scenario(name: name(.stream, .instant, 1_000), pattern: .stream, fanOut: 1)
        scenario.chunkBytes = 512
        scenario.payloadBytes = 1_000 * scenario.chunkBytes
        return scenario
      }(),
      {
        // A plain race: both mirrors are asked at once.
        var scenario = Scenario(name: name(.race, .instant, 100), pattern: .race, fanOut: 100)
        scenario.hedgeDelay = .zero
        return scenario
      }(),
    ]
}

extension Scenario {
  /// A scenario of `fanOut` media, one in five of them a video.
  public init(
    name: String, pattern: Pattern = .publish, service: ServiceKind = .instant, fanOut: Int, limit: Int? = nil
  ) {
    self.init(
      name: name, pattern: pattern, service: service, photos: fanOut - fanOut / 5, videos: fanOut / 5,
      limit: limit)
  }
}
