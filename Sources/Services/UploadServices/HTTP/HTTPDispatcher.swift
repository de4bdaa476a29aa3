import Foundation
import RawThreads
import Timers
import UploadScenario

/// The thread of the `http` service, with the waiting requests, the running exchanges and their deadlines.
final class HTTPDispatcher: ServiceThread, @unchecked Sendable {
  private let transport: any HTTPTransport
  private let folder: Endpoint
  private let limits: HTTPService.Limits
  private let storesParts: Bool
  // Invariant: only the service's thread touches the following variables.
  private var waiting = FirstInFirstOut<HTTPExchange>()
  private var deadlines = TimerHeap<HTTPExchange>()
  private var underWay = 0
  private var bytesInMemory = 0
  /// The number of unanswered requests that are answered only if they are cancelled.
  private var silent = 0

  init(_ transport: any HTTPTransport, _ folder: Endpoint, _ limits: HTTPService.Limits, storesParts: Bool) {
    self.transport = transport
    self.folder = folder
    self.limits = limits
    self.storesParts = storesParts
  }

  // MARK: Messages to the service's thread

  override func accept(_ request: ServiceRequest) {
    let exchange = unsafeDowncast(request, to: HTTPExchange.self)
    if case .request(let request, let attempt, _) = exchange.job,
      exchange.withAccount({ $0.staysSilent(request, attempt: attempt) })
    {
      exchange.progress = .silent
      silent += 1
    } else {
      waiting.append(exchange)
    }
  }

  override func cancel(_ request: ServiceRequest) {
    let exchange = unsafeDowncast(request, to: HTTPExchange.self)
    switch exchange.progress {
    case .waiting: answer(exchange, .failure(CancellationError()))
    case .silent:
      silent -= 1
      answer(exchange, .failure(CancellationError()))
    case .underWay: exchange.transfer?.cancel()
    case .answered: break
    }
  }

  func end(_ exchange: HTTPExchange, _ result: Result<Int, HTTPFailure>) {
    underWay -= 1
    bytesInMemory -= exchange.byteCount
    deadlines.remove(exchange)
    exchange.transfer = nil
    let failure: HTTPFailure? =
      switch result {
      case .success(let status): Self.failure(status, to: exchange)
      case .failure(.cancelled) where exchange.isGivenUp: .timedOut
      case .failure(let failure): failure
      }
    answer(exchange, failure.map { .failure(error($0, of: exchange)) } ?? .success(()))
  }

  override func doWhatIsDue(isLast: Bool) -> Bool {
    startWhatMay()
    giveUpWhatTakesTooLong()
    return false
  }

  override var isIdle: Bool { underWay + silent == 0 && waiting.isEmpty }

  override var wakeNanoseconds: UInt64? { deadlines.firstDeadlineNanoseconds }

  private func startWhatMay() {
    while let next = waiting.first, underWay < limits.connections {
      guard next.progress == .waiting else {
        waiting.removeFirst()
        continue
      }
      guard bytesInMemory == 0 || bytesInMemory + next.expectedBytes <= limits.bytesInMemory else { return }
      waiting.removeFirst()
      start(next)
    }
  }

  private func start(_ exchange: HTTPExchange) {
    guard !exchange.isCancelled else { return answer(exchange, .failure(CancellationError())) }
    let request: HTTPRequest
    do { request = try self.request(for: exchange) } catch { return answer(exchange, .failure(error)) }
    exchange.progress = .underWay
    exchange.byteCount = request.body?.count ?? 0
    exchange.deadlineNanoseconds =
      MonotonicClock.nanoseconds() + limits.exchangeNanoseconds
      + limits.nanosecondsPerByte * UInt64(exchange.byteCount)
    underWay += 1
    bytesInMemory += exchange.byteCount
    deadlines.insert(exchange)
    exchange.transfer = transport.send(request, receive: { _ in }) { [inbox] result in
      inbox.push(HTTPEnding(of: exchange, result))
    }
  }

  private func request(for exchange: HTTPExchange) throws -> HTTPRequest {
    switch exchange.job {
    case .request(let asked, let attempt, _):
      if let error = exchange.withAccount({ $0.error(of: asked, attempt: attempt) }) { throw error }
      // The receipt of a prepared file has the file's digest. Other receipts describe the bytes read.
      exchange.receipt = asked.receipt
      switch asked {
      case .upload(let media), .uploadToMirror(let media, _):
        let body = try HTTPBody(media)
        exchange.receipt = body.receipt
        return put(ObjectName.of(media), body.bytes)
      case .uploadTo(_, let prepared):
        return put(ObjectName.of(prepared.media), try HTTPBody(prepared.media).bytes)
      case .uploadChunk(let chunk): return put(ObjectName.of(chunk), chunk.withBytes { Data($0) })
      case .issueURL(let prepared): return HTTPRequest(.head, ObjectName.of(prepared.media), in: folder)
      case .lookUp(let detail): return HTTPRequest(.head, "\(detail)", in: folder)
      }
    case .post(let post, let receipts, _):
      return put(
        ObjectName.manifest, try Manifest(post, receipts: receipts, isInParts: storesParts).encoded())
    case nil: throw CancellationError()
    }
  }

  private func put(_ name: String, _ bytes: Data) -> HTTPRequest {
    HTTPRequest(.put, name, in: folder, body: bytes)
  }

  private func giveUpWhatTakesTooLong() {
    while deadlines.count > 0, let first = deadlines.removeFirst(dueBy: MonotonicClock.nanoseconds()) {
      first.isGivenUp = true
      first.transfer?.cancel()
    }
  }

  // MARK: Answering requests

  private static func failure(_ status: Int, to exchange: HTTPExchange) -> HTTPFailure? {
    switch exchange.job {
    // Status 404 (no such object) also shows that the server has answered.
    case .request(.issueURL, _, _) where status == 404, .request(.lookUp, _, _) where status == 404: nil
    default: HTTPFailure(status: status)
    }
  }

  private func error(_ failure: HTTPFailure, of exchange: HTTPExchange) -> any Error {
    if failure == .cancelled { return CancellationError() }
    guard case .request(let request, _, _) = exchange.job else { return failure }
    return request.failure(reason: failure.description, isTransient: failure.isTransient)
  }

  /// Records the answer in the ledger, then calls the completion. A received receipt is a success even after a cancellation.
  private func answer(_ exchange: HTTPExchange, _ result: Result<Void, any Error>) {
    guard let (job, isCancelled) = take(exchange) else { return }
    exchange.progress = .answered
    let ledger = exchange.withAccount { $0.ledger }
    switch job {
    case .request(let request, _, let completion):
      let answer = result.flatMap { _ in
        exchange.receipt.map { .success($0) } ?? .failure(CancellationError())
      }
      .mapError { isCancelled ? CancellationError() : $0 }
      ledger.note(answer, of: request)
      if case .uploadChunk(let chunk) = request { chunk.giveBack() }
      completion(answer)
    case .post(let post, let receipts, let completion):
      completion(
        result.mapError { isCancelled ? CancellationError() : $0 }.map {
          exchange.withAccount { $0.create(post, receipts) }
        })
    }
  }
}
