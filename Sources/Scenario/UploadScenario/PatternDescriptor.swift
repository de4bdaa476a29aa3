extension Pattern {
  /// The properties that distinguish patterns; other code reads these instead of naming patterns.
  ///
  /// It has no reference-counted field, so that reading it in a timed job is free.
  public struct Descriptor: Sendable {
    /// What one upload is.
    public enum Unit: String, Sendable {
      /// A media file of the post.
      case upload
      /// A piece of the post's only media file.
      case chunk
      /// A detail of a post without media.
      case lookup
    }

    /// How many uploads may be in flight at once.
    public enum Width: Sendable {
      /// One at a time.
      case one
      /// The scenario's limit; without one, all.
      case limit
      /// The scenario's uploaders.
      case uploaders
      /// All uploads of the post.
      case all
    }

    /// Which requests one upload takes, and when it has succeeded.
    public enum Requests: Sendable {
      /// One request, which must succeed.
      case one
      /// A URL for a prepared media file, then the upload to it; both must succeed.
      case urlThenUpload
      /// One to each of two mirrors; the first success is enough.
      case mirrors
      /// Repeated attempts, as the retry policy allows.
      case attempts
    }

    let summary: StaticString
    /// What one upload is.
    public var unit = Unit.upload
    /// How many uploads may be in flight at once.
    public var width = Width.all
    /// Which requests one upload takes.
    public var requests = Requests.one
    /// Whether a request blocks the thread that makes it.
    public var blocksThreads = false
  }

  /// A line for `bench list`, naming the options that shape it.
  public var summary: String { "\(descriptor.summary)" }
  /// What one upload is.
  public var unit: Descriptor.Unit { descriptor.unit }
  /// How many uploads may be in flight at once.
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
  /// Whether it has a limit of uploads in flight.
  public var takesLimit: Bool { width == .limit }
  /// Whether media files are prepared on the processor before they are uploaded.
  public var prepares: Bool { requests == .urlThenUpload }
  /// Whether each upload goes to two mirrors.
  public var races: Bool { requests == .mirrors }
  /// Whether failed uploads are retried.
  public var retries: Bool { requests == .attempts }

  /// The number of requests, and of ledger indices, per upload.
  public var requestsPerUpload: Int {
    switch requests {
    case .urlThenUpload, .mirrors: 2
    case .one, .attempts: 1
    }
  }
}
