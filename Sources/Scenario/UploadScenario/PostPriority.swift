/// How urgent a post is beside others of the same process, for an idiom that knows priorities.
public enum PostPriority: String, Sendable, Hashable, Codable, CaseIterable {
  /// Whatever else wants to run goes first.
  case low
  /// As where nobody says anything.
  case normal
  /// A user waits for it.
  case high
}
