extension Catalog {
  /// What `bench load` offers unless it is told otherwise: a post of ten media, as people make them, with realistic waits.
  public static let load: [Scenario] = [
    Scenario(name: name(.publish, .latency, 10), service: .latency, photos: 8, videos: 2)
  ]
}
