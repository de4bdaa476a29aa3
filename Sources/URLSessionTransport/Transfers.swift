import Foundation
import Synchronization
import UploadServices

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The session's delegate: knows what is under way by the task's number.
final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
  private let underWay = Mutex<[Int: Transfer]>([:])

  func add(_ transfer: Transfer, as number: Int) { underWay.withLock { $0[number] = transfer } }

  private func transfer(of task: URLSessionTask) -> Transfer? { underWay.withLock { $0[task.taskIdentifier] } }

  // Redirects are refused even to the same place: on Linux the session would repeat the request without its body, and an
  // empty object would be stored.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let target = request.url.map { "\($0.scheme ?? "?")://\($0.host ?? "")" } ?? "nowhere"
    transfer(of: task)?.refuse(.redirected(status: response.statusCode, location: Self.printable(target)))
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if transfer(of: dataTask)?.take(data) == false { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error { return transfer.end(with: .failure(HTTPFailure(error, isSecure: task.isSecure))) }
    guard let response = task.response as? HTTPURLResponse else {
      return transfer.end(with: .failure(.broken(reason: "it ended without an answer")))
    }
    transfer.end(with: .success(HTTPAnswer(status: response.statusCode)))
  }

  /// What a server says is shown as text: printable, and no more than anyone would read.
  static func printable(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
  }
}

extension URLSessionTask {
  fileprivate var isSecure: Bool { originalRequest?.url?.scheme == "https" }
}
