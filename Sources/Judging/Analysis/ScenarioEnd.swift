import Results

/// What a scenario's time is the time to.
public enum ScenarioEnd: String, Sendable, Hashable {
  case post
  case error
  case cancellation
  /// An error or a cancellation; the samples alone do not tell which.
  case noPost = "no_post"

  /// What the samples tell: a scenario whose measured samples created no post is meant to end without one.
  static func inferred(from samples: [Sample]) -> ScenarioEnd {
    let posts = samples.filter { $0.outcome == .measured }.compactMap(\.posts)
    return !posts.isEmpty && posts.allSatisfy { $0 == 0 } ? .noPost : .post
  }
}
