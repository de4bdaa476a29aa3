import Foundation
import TestSupport
import Testing
import UploadServices

@testable import URLSessionTransport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.ownThread) struct HTTPFailureURLErrorTests {
  private func failure(_ code: URLError.Code, _ text: String, isSecure: Bool = false) -> HTTPFailure {
    HTTPFailure(URLError(code, userInfo: [NSLocalizedDescriptionKey: text]), isSecure: isSecure)
  }

  /// As libcurl says it.
  @Test(arguments: [
    "SSL certificate problem: unable to get local issuer certificate",
    "SSL certificate problem: certificate has expired",
    "SSL: no alternative certificate subject name matches target host name 'localhost'",
    "error:0A00010B:SSL routines::wrong version number",
  ])
  func `an untrusted server is not retried`(_ text: String) {
    let failure = failure(.unknown, text, isSecure: true)
    #expect(failure == .untrusted(reason: text))
    #expect(!failure.isTransient)
  }

  @Test(arguments: [
    "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
    "OpenSSL SSL_connect: Connection reset by peer in connection to localhost:1", "Send failure: Broken pipe",
    "transfer closed with 97 bytes remaining to read",
  ])
  func `a broken connection may be retried`(_ text: String) {
    #expect(failure(.unknown, text, isSecure: true) == .broken(reason: text))
  }

  @Test func `error codes that say more are used`() {
    #expect(failure(.cancelled, "") == .cancelled)
    #expect(failure(.timedOut, "") == .timedOut)
    #expect(failure(.cannotConnectToHost, "no") == .unreachable(reason: "no"))
    #expect(failure(.serverCertificateUntrusted, "no") == .untrusted(reason: "no"))
    let headers = "Too large response headers: 307223 > 307200"
    #expect(failure(.unknown, headers) == .tooLong(reason: headers))
    #expect(failure(.unknown, "Out of memory") == .tooLong(reason: "a header line of more than 100 kB"))
  }

  @Test func `a server's words are shown as plain text`() {
    #expect(failure(.unknown, "bad\u{1B}[31m\r\nline") == .broken(reason: "bad?[31m??line"))
  }
}
