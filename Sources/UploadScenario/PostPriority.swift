/// How urgent a post is beside others of the same process, for an idiom that knows priorities.
public enum PostPriority: String, Sendable, Hashable, Codable, CaseIterable {
  case low, normal, high
}
