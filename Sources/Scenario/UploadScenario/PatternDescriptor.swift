extension Pattern {
  /// Everything that tells one pattern from another but its code; nobody else names a pattern.
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
