/// The shape of the concurrent job.
public enum Pattern: String, Sendable, Hashable, Codable, CaseIterable {
  /// All uploads at once, or at most K in flight, then the post.
  case publish
  /// One upload after another, then the post.
  case sequence
  /// Three lookups of three types at once, then the post that needs all three.
  case zip
  /// The same lookups one after another: what `zip` gains.
  case zipSerial = "zip-serial"

  public var summary: String {
    switch self {
    case .publish: "all media at once, or at most --limit in flight, then the post"
    case .sequence: "one media after another, then the post"
    case .zip: "three lookups of three types at once, then the post that needs all three"
    case .zipSerial: "the same three lookups one after another, then the post"
    }
  }
}

extension Pattern {
  /// Whether media are uploaded; otherwise details are looked up.
  public var uploadsMedia: Bool { self != .zip && self != .zipSerial }

  /// Whether one request follows the other.
  public var isSerial: Bool { self == .sequence || self == .zipSerial }
}

extension Contender {
  /// Starts the scenario's pattern.
  public func start(
    _ scenario: Scenario, post: Post, service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    switch scenario.pattern {
    case .publish: publish(post, to: service, limit: scenario.limit, completion: completion)
    case .sequence: sequence(post, to: service, completion: completion)
    case .zip: zip(post, on: service, completion: completion)
    case .zipSerial: zipSerial(post, on: service, completion: completion)
    }
  }
}
