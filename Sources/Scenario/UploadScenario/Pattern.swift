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
  /// For each media: prepare, ask for a URL, upload there; then the post.
  case presigned
  /// One large media in chunks through a bounded buffer, then the post.
  case stream
  /// Each media to two mirrors, the second after a delay; the first success wins.
  case race
  /// Uploads with deadlines and further attempts.
  case resilient
  /// Uploads that block their thread.
  case blocking

  /// A line for `bench list`, naming the options that shape it.
  public var summary: String {
    switch self {
    case .publish: "all media at once, or at most --limit in flight, then the post"
    case .sequence: "one media after another, then the post"
    case .zip: "three lookups of three types at once, then the post that needs all three"
    case .zipSerial: "the same three lookups one after another, then the post"
    case .presigned: "each media: --prepare passes over its bytes, ask for a URL, upload there; then the post"
    case .stream: "one media in chunks of --chunk through a --buffer to --uploaders, then the post"
    case .race: "each media to two mirrors, the second after --hedge; the first success wins"
    case .resilient: "all media, each with --attempts and an --attempt-timeout, all within a --deadline"
    case .blocking: "uploads that block their thread, all at once or at most --limit, then the post"
    }
  }

  /// Whether details are looked up instead of media being uploaded.
  public var looksUp: Bool { self == .zip || self == .zipSerial }

  /// Whether one request follows the other.
  public var isSerial: Bool { self == .sequence || self == .zipSerial }

  /// Whether a limit of requests in flight means anything to it.
  public var takesLimit: Bool { self == .publish || self == .presigned || self == .blocking }

  /// How many requests are made for each of what it uploads.
  public var requestsPerUpload: Int { self == .presigned || self == .race ? 2 : 1 }

  /// What is uploaded, or looked up, as reports call it.
  public var unit: String { looksUp ? "lookup" : self == .stream ? "chunk" : "upload" }
}
