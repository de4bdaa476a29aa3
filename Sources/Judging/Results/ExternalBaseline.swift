/// What stands beside contenders without being one: measured in their rounds, never compared and never ranked.
public enum ExternalBaseline {
  /// The system's `cp`, with the files that contenders publish.
  public static let copy = "cp"
}
