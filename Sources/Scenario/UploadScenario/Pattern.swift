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

extension Pattern {
  /// Everything that tells one pattern from another but its code. Scenarios, expectations, options and proofs ask the
  /// descriptor; none of them names a pattern.
  ///
  /// It has no reference-counted field, so that asking costs a timed job nothing.
  public struct Descriptor: Sendable {
    /// What one upload is, as reports call it.
    public enum Unit: String, Sendable {
      /// A media file of the post.
      case upload
      /// A piece of the post's only media file, which is read through a buffer.
      case chunk
      /// A detail of a post without media.
      case lookup
    }

    /// How many uploads may be under way at once.
    public enum Width: Sendable {
      /// One: the next one starts when the last has ended.
      case one
      /// As many as the scenario's limit says; without one, all.
      case limit
      /// As many as the scenario has uploaders.
      case uploaders
      /// No limit: all that the post has.
      case all
    }

    /// Which requests one upload takes, and when it has succeeded.
    public enum Requests: Sendable {
      /// One, which must succeed.
      case one
      /// A prepared media file's URL, then the upload to it; both must succeed.
      case urlThenUpload
      /// The same to each of two mirrors; the first success is enough.
      case mirrors
      /// The same again until it succeeds, as often and as long as the retry policy says.
      case attempts
    }

    let summary: StaticString
    /// What one upload is, as reports call it.
    public var unit = Unit.upload
    /// How many uploads may be under way at once.
    public var width = Width.all
    /// Which requests one upload takes.
    public var requests = Requests.one
    /// Whether a request blocks the thread that makes it.
    public var blocksThreads = false
  }

  /// All that is known of the pattern but its code.
  public var descriptor: Descriptor {
    switch self {
    case .publish:
      Descriptor(
        summary: "all media files at once, or at most --limit in flight, then the post", width: .limit)
    case .sequence:
      Descriptor(summary: "one media file after another, then the post", width: .one)
    case .zip:
      Descriptor(
        summary: "three lookups of three types at once, then the post that needs all three", unit: .lookup)
    case .zipSerial:
      Descriptor(
        summary: "the same three lookups one after another, then the post", unit: .lookup, width: .one)
    case .presigned:
      Descriptor(
        summary:
          "each media file: --prepare passes over its bytes, ask for a URL, upload there; then the post",
        width: .limit, requests: .urlThenUpload)
    case .stream:
      Descriptor(
        summary: "one media file in chunks of --chunk through a --buffer to --uploaders, then the post",
        unit: .chunk, width: .uploaders)
    case .race:
      Descriptor(
        summary: "each media file to two mirrors, the second after --hedge; the first success wins",
        requests: .mirrors)
    case .resilient:
      Descriptor(
        summary: "all media files, each with --attempts and an --attempt-timeout, all within a --deadline",
        requests: .attempts)
    case .blocking:
      Descriptor(
        summary: "uploads that block their thread, all at once or at most --limit, then the post",
        width: .limit, blocksThreads: true)
    }
  }

  /// A line for `bench list`, naming the options that shape it.
  public var summary: String { "\(descriptor.summary)" }
  /// What one upload is, as reports call it.
  public var unit: Descriptor.Unit { descriptor.unit }
  /// How many uploads may be under way at once.
  public var width: Descriptor.Width { descriptor.width }
  /// Which requests one upload takes, and when it has succeeded.
  public var requests: Descriptor.Requests { descriptor.requests }
  /// Whether a request blocks the thread that makes it.
  public var blocksThreads: Bool { descriptor.blocksThreads }

  /// Whether details are looked up instead of media being uploaded.
  public var looksUp: Bool { unit == .lookup }
  /// Whether one media file is uploaded in chunks.
  public var isChunked: Bool { unit == .chunk }
  /// Whether one upload follows the other.
  public var isSerial: Bool { width == .one }
  /// Whether a limit of uploads in flight means anything to it.
  public var takesLimit: Bool { width == .limit }
  /// Whether media files are prepared on the processor before they are uploaded.
  public var prepares: Bool { requests == .urlThenUpload }
  /// Whether each upload goes to two mirrors.
  public var races: Bool { requests == .mirrors }
  /// Whether an upload that fails may be tried again.
  public var retries: Bool { requests == .attempts }

  /// How many requests are made for each upload, so many places it has in the ledger.
  public var requestsPerUpload: Int {
    switch requests {
    case .urlThenUpload, .mirrors: 2
    case .one, .attempts: 1
    }
  }
}
