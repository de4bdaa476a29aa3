import RawThreads
import UploadScenario

/// A service that really uploads: each media file is a PUT to a folder of an endpoint, each post a manifest beside them.
///
/// What a server cannot know is asked all the same, so that the way there and back is real: an upload URL by a HEAD for
/// the object, an author, a place or an audience by a HEAD for that name; whether it is there or not, the answer is made
/// up. One thread of the service's own reads the bytes, starts exchanges, at most as many as there may be connections,
/// and calls completions; what carries the bytes has its own. Once the last reference is gone, and that to all who share
/// the thread, it finishes what was asked and ends.
final class HTTPService: JobService {
  /// How much is under way at once, and for how long.
  struct Limits: Sendable {
    var connections = 64
    /// Bodies lie in memory while they are sent. One is always allowed.
    var bytesInMemory = 256 << 20
    /// How long an exchange may take, whatever its size.
    var exchangeNanoseconds: UInt64 = 20_000_000_000
    /// And how long besides for each byte: no slower than 64 KiB/s.
    var nanosecondsPerByte: UInt64 = 15_259
  }

  let ledger: Ledger
  let account: Account
  private let inbox: Inbox<ServiceMessage>
  private let lease: ThreadLease

  /// A service for each account, all uploading to one folder on one thread and the same connections.
  ///
  /// - Parameters:
  ///   - folder: the endpoint, or a folder below it.
  ///   - storesParts: posts are of one media that comes in chunks.
  static func sharing(
    _ accounts: [Account], transport: any HTTPTransport, folder: Endpoint, limits: Limits = Limits(),
    storesParts: Bool = false
  ) -> [HTTPService] {
    let dispatcher = HTTPDispatcher(transport, folder, limits, storesParts: storesParts)
    let lease = dispatcher.start(name: "http-service", for: accounts)
    return accounts.map { HTTPService($0, dispatcher.inbox, lease) }
  }

  private init(_ account: Account, _ inbox: Inbox<ServiceMessage>, _ lease: ThreadLease) {
    self.account = account
    ledger = account.ledger
    self.inbox = inbox
    self.lease = lease
  }

  func uploadBlocking(_ media: Media) throws -> Receipt {
    let answer = PendingAnswer<Result<Receipt, any Error>>()
    let handle = perform(.upload(media)) { answer.give($0) }
    defer { withExtendedLifetime(handle) {} }
    return try answer.wait().get()
  }

  func accept(_ job: Job) -> any Cancellable {
    let exchange = HTTPExchange(job, account, to: inbox)
    inbox.push(exchange)
    return exchange
  }
}
