/// The shape of the concurrent job.
public enum Pattern: String, Sendable, Hashable, Codable, CaseIterable {
  /// All uploads at once, or at most K in flight, then the post.
  case publish
  /// One upload after another, then the post.
  case sequence

  public var summary: String {
    switch self {
    case .publish: "all media at once, or at most --limit in flight, then the post"
    case .sequence: "one media after another, then the post"
    }
  }
}

extension Contender {
  /// Starts the scenario's pattern.
  public func start(
    _ scenario: Scenario, post: Post, service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    switch scenario.pattern {
    case .publish: publish(post, to: service, limit: scenario.limit, completion: completion)
    case .sequence: sequence(post, to: service, completion: completion)
    }
  }
}
