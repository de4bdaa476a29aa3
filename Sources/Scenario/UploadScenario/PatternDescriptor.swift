extension Pattern {
  /// The properties that distinguish patterns. No field is reference-counted, since timed code reads them.
  public struct Descriptor: Sendable {
    /// The kind of work that one upload does.
    public enum Unit: String, Sendable {
      /// Each upload is a media file of the post.
      case upload
      /// Each upload is a piece of the post's only media file.
      case chunk
      /// Each upload is the lookup of a detail of a post without media.
      case lookup
    }

    /// The number of uploads that may be in flight at a time.
    public enum Width: Sendable {
      /// One upload at a time.
      case one
      /// The scenario's limit, or all uploads if there is none.
      case limit
      /// The number of the scenario's uploaders.
      case uploaders
      /// All uploads of the post.
      case all
    }

    /// The requests that one upload makes, and the condition for its success.
    public enum Requests: Sendable {
      /// Each upload makes one request, which must succeed.
      case one
      /// A request for the URL of a prepared media file, then the upload to that URL. Both must succeed.
      case urlThenUpload
      /// One request to each of two mirrors. One success is enough.
      case mirrors
      /// As many attempts as the retry policy allows. One success is enough.
      case attempts
    }

    let summary: StaticString
    /// The kind of work that one upload does.
    public var unit = Unit.upload
    /// The number of uploads that may be in flight at a time.
    public var width = Width.all
    /// The requests that one upload makes.
    public var requests = Requests.one
    /// Whether a request blocks the thread that makes it.
    public var blocksThreads = false
  }

  /// A description for `bench list`, which names the options that affect the pattern.
  public var summary: String { "\(descriptor.summary)" }
  /// The kind of work that one upload does.
  public var unit: Descriptor.Unit { descriptor.unit }
  /// The number of uploads that may be in flight at a time.
  public var width: Descriptor.Width { descriptor.width }
  /// The requests that one upload makes, and the condition for its success.
  public var requests: Descriptor.Requests { descriptor.requests }
  /// Whether a request blocks the thread that makes it.
  public var blocksThreads: Bool { descriptor.blocksThreads }

  /// Whether details are looked up instead of media being uploaded.
  public var looksUp: Bool { unit == .lookup }
  /// Whether one media file is uploaded in chunks.
  public var isChunked: Bool { unit == .chunk }
  /// Whether uploads run one after another.
  public var isSerial: Bool { width == .one }
  /// Whether the number of uploads in flight can be limited.
  public var takesLimit: Bool { width == .limit }
  /// Whether media files are prepared before they are uploaded, which takes processor time.
  public var prepares: Bool { requests == .urlThenUpload }
  /// Whether each upload goes to two mirrors.
  public var races: Bool { requests == .mirrors }
  /// Whether failed uploads are retried.
  public var retries: Bool { requests == .attempts }

  /// The number of requests for each upload. Each has its own index in the ledger.
  public var requestsPerUpload: Int {
    switch requests {
    case .urlThenUpload, .mirrors: 2
    case .one, .attempts: 1
    }
  }
}
