import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// A service that uploads to a server: each media file is a PUT into a folder of an endpoint, each post a PUT of a manifest.
///
/// A server cannot issue an upload URL or look up a post's details, so these requests are HEADs with simulated answers. When all
/// services that share the thread are released, the thread finishes the remaining requests and ends.
final class HTTPService: JobService {
  struct Limits: Sendable {
    var connections = 64
    /// The limit in bytes for the bodies that are in memory while they are sent. A single body may exceed it.
    var bytesInMemory = 256 << 20
    /// The time limit of an exchange without a body.
    var exchangeNanoseconds: UInt64 = 20_000_000_000
    /// The additional time for each byte, which allows a rate of 64 KiB/s.
    var nanosecondsPerByte: UInt64 = 15_259
  }

  let ledger: Ledger
  let account: Account
  private let inbox: Inbox<ServiceMessage>
  private let lease: ThreadLease

  /// Creates a service for each `Account`. All upload to one folder on one thread. `storesParts`: whether uploads are chunks.
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

/// Access to a folder at an endpoint, for use outside of measurements.
public struct RemoteFolder: Sendable {
  private let folder: Endpoint
  private let transport: any HTTPTransport

  public init(_ folder: Endpoint, over transport: any HTTPTransport) {
    self.folder = folder
    self.transport = transport
  }

  /// Uploads an object and reads it back. Throws if that fails.
  public func check() throws {
    let name = "check.txt"
    let bytes = Data("written to see whether uploads are taken\n".utf8)
    let written = wait(HTTPRequest(.put, name, in: folder, body: bytes)) { _ in }
    if let failure = written { throw failure }
    let read = Mutex(Data())
    let failure = wait(HTTPRequest(.get, name, in: folder)) { data in read.withLock { $0 += data } }
    if let failure { throw failure }
    guard read.withLock({ $0 == bytes }) else {
      throw FileError(
        path: folder.url,
        reason: "\(folder.url)/\(name) has other bytes than were uploaded to it: check the server")
    }
  }

  /// Copies objects and the manifest into a local directory. Objects that the server does not have are skipped.
  public func copy(_ objects: [StoredObject], to directory: String, connections: Int = 8) throws {
    let names = objects.map { ($0.name, $0.byteCount) } + [(ObjectName.manifest, 1 << 30)]
    let next = Atomic<Int>(0)
    let problem = Mutex<(any Error)?>(nil)
    let threads = (1...connections).map { number in
      RawThread(name: "copy-\(number)") {
        while case let index = next.add(1, ordering: .relaxed).oldValue, index < names.count {
          do { try copy(names[index].0, names[index].1, to: directory) } catch {
            problem.withLock { $0 = $0 ?? error }
            return
          }
        }
      }
    }
    for thread in threads { thread.join() }
    if let problem = problem.withLock({ $0 }) { throw problem }
  }

  private func copy(_ name: String, _ byteCount: Int, to directory: String) throws {
    let path = "\(directory)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileError(errno, attempt: "write", path: path) }
    defer { close(file) }
    let code = Atomic<Int32>(0)
    // The limit is one byte above the expected size, so that a longer object is detected.
    let request = HTTPRequest(.get, name, in: folder, mostAnswerBytes: byteCount + 1)
    let failure = wait(request, bytes: byteCount) { data in
      if !data.withUnsafeBytes({ writeAll($0, to: file) }) { code.store(errno, ordering: .relaxed) }
    }
    if code.load(ordering: .relaxed) != 0 {
      throw FileError(code.load(ordering: .relaxed), attempt: "write", path: path)
    }
    switch failure {
    case nil, .tooLong: return
    case .status(404): unlink(path)
    case let failure?:
      throw FileError(path: folder.url, reason: "cannot read \(folder.url)/\(name) back: \(failure)")
    }
  }

  /// Sends a request and waits at most 20 s for its end, plus one second for every 64 KiB of `bytes`. Returns `nil` on success.
  private func wait(
    _ request: HTTPRequest, bytes: Int = 0, receive: @escaping @Sendable (Data) -> Void
  ) -> HTTPFailure? {
    let ended = PendingAnswer<Result<Int, HTTPFailure>>()
    let handle = transport.send(request, receive: receive) { ended.give($0) }
    // The transport's timeout is for pauses without data, and this one for a response that never ends.
    let seconds = min(300, 20 + UInt64(bytes) / 65_536)
    let deadline = MonotonicClock.nanoseconds() + seconds * 1_000_000_000
    if ended.wait(untilNanoseconds: deadline) == nil { handle.cancel() }
    switch ended.wait() {
    case .success(let status): return HTTPFailure(status: status)
    case .failure(let failure): return failure
    }
  }
}
