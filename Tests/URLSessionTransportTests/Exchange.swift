import Foundation
import RawThreads
import Synchronization
import UploadScenario
import UploadServices

/// One exchange from begin to end, seen from outside.
final class Exchange: Sendable, CustomReflectable {
  private let results = Mutex<[Result<Int, HTTPFailure>]>([])
  private let received = Mutex(Data())
  private let ended = Parker()
  private let handle = Mutex<(any Cancellable)?>(nil)
  /// It cancels what is under way when it goes.
  private let transport: any HTTPTransport

  init(_ request: HTTPRequest, over transport: any HTTPTransport) {
    self.transport = transport
    let handle = transport.send(request, receive: { data in self.received.withLock { $0 += data } }) {
      result in
      self.results.withLock { $0.append(result) }
      self.ended.unpark()
    }
    self.handle.withLock { $0 = handle }
  }

  func cancel() { handle.withLock { $0 }?.cancel() }

  /// How it ended; nil: it did not within 20 s.
  var result: Result<Int, HTTPFailure>? {
    let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
    while results.withLock({ $0.isEmpty }), ended.park(untilNanoseconds: deadline) {}
    return results.withLock { $0.first }
  }

  var status: Int? { try? result?.get() }
  var failure: HTTPFailure? { if case .failure(let failure) = result { failure } else { nil } }
  var body: Data { received.withLock { $0 } }
  /// What an expectation that fails shows of it; the session behind it must not be looked into while it works.
  var customMirror: Swift.Mirror { Swift.Mirror(self, children: ["result": "\(results.withLock { $0 })"]) }
  var endings: Int { results.withLock { $0.count } }
}

extension HTTPRequest {
  /// A PUT of some bytes.
  static func put(_ byteCount: Int = 1_000, to url: String, name: String = "object") throws -> HTTPRequest {
    HTTPRequest(.put, name, in: try Endpoint(url), body: Data((0..<byteCount).map { UInt8($0 % 251) }))
  }
}
