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
  /// For each media file: prepare, ask for a URL, upload there; then the post.
  case presigned
  /// One large media file in chunks through a bounded buffer, then the post.
  case stream
  /// Each media file to two mirrors, the second after a delay; the first success wins.
  case race
  /// Uploads with deadlines and further attempts.
  case resilient
  /// Uploads that block their thread.
  case blocking
}
