import RawThreads
import UploadScenario

/// A service that really uploads: each media is a PUT to a folder of an endpoint, each post a manifest beside them.
///
/// What a server cannot know is asked all the same, so that the way there and back is real: an upload URL by a HEAD for
/// the object, an author, a place or an audience by a HEAD for that name; whether it is there or not, the answer is made
/// up. One thread of the service's own reads the bytes, starts exchanges, at most as many as there may be connections,
/// and calls completions; what carries the bytes has its own. Once the last reference is gone, and
/// that to all who share the thread, it finishes what was asked and ends.
public final class HTTPService: UploadService {
  /// How much is under way at once, and for how long.
  public struct Limits: Sendable {
    public var connections = 64
    /// Bodies lie in memory while they are sent. One is always allowed.
    public var bytesInMemory = 256 << 20
    /// How long an exchange may take, whatever its size.
    public var exchangeNanoseconds: UInt64 = 20_000_000_000
    /// And how long besides for each byte: no slower than 64 KiB/s.
    public var nanosecondsPerByte: UInt64 = 15_259

    public init() {}
  }

  private let answers: MadeUpAnswers
  private let ledger: Ledger
  private let dispatcher: HTTPDispatcher
  private let local: LocalWork
  private let lease: ThreadLease

  /// - Parameters:
  ///   - folder: the endpoint, or a folder below it.
  ///   - storesParts: posts are of one media that comes in chunks.
  public convenience init(
    ledger: Ledger, faults: Faults, transport: any HTTPTransport, folder: Endpoint, limits: Limits = Limits(),
    storesParts: Bool = false, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024
  ) {
    self.init(
      MadeUpAnswers(ledger: ledger, faults: faults),
      LocalWork(ledger: ledger, preparePasses: preparePasses, chunkBytes: chunkBytes),
      on: Self.startThread(HTTPDispatcher(transport, folder, limits, storesParts: storesParts)))
  }

  /// A service for each ledger, all uploading to one folder on one thread and the same connections.
  public static func sharing(
    ledgers: [Ledger], faults: Faults, transport: any HTTPTransport, folder: Endpoint,
    limits: Limits = Limits(), storesParts: Bool = false, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024
  ) -> [HTTPService] {
    let thread = startThread(HTTPDispatcher(transport, folder, limits, storesParts: storesParts))
    return ledgers.map {
      HTTPService(
        MadeUpAnswers(ledger: $0, faults: faults),
        LocalWork(ledger: $0, preparePasses: preparePasses, chunkBytes: chunkBytes), on: thread)
    }
  }

  private init(
    _ answers: MadeUpAnswers, _ local: LocalWork, on thread: (dispatcher: HTTPDispatcher, lease: ThreadLease)
  ) {
    self.answers = answers
    self.local = local
    ledger = answers.ledger
    (dispatcher, lease) = thread
  }

  private static func startThread(_ dispatcher: HTTPDispatcher) -> (HTTPDispatcher, ThreadLease) {
    _ = RawThread(name: "http-service") { dispatcher.run() }
    return (dispatcher, ThreadLease { dispatcher.inbox.close() })
  }

  public func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    return accept(.request(request, attempt: attempt, completion))
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postRequested()
    return accept(.post(post, receipts, completion))
  }

  public func uploadBlocking(_ media: Media) throws -> Receipt {
    let arrival = BlockingCall()
    let handle = perform(.upload(media)) { arrival.end(with: $0) }
    defer { withExtendedLifetime(handle) {} }
    return try arrival.wait().get()
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job) -> any Cancellable {
    let exchange = HTTPExchange(job, answers, inbox: dispatcher.inbox)
    dispatcher.inbox.push(exchange)
    return exchange
  }
}
