import Foundation
import TestSupport
import Testing
import UploadServices

@testable import URLSessionTransport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that cannot prove to be the endpoint receives nothing, whatever the environment says.
@Suite(.ownThread, .serialized) struct TLSTests {
  @Test(
    .enabled(if: TLSServer.openssl != nil, Comment(rawValue: TLSServer.missing)),
    arguments: ["IP:127.0.0.1", "DNS:example.org"])
  func `an untrusted server is sent nothing`(certifiedFor name: String) throws {
    let server = try TLSServer(certifiedFor: name)
    defer { server.stop() }
    let variables = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED"]
    for variable in variables { setenv(variable, "0", 1) }
    defer { for variable in variables { unsetenv(variable) } }
    let exchange = Exchange(
      try .put(to: "https://127.0.0.1:\(server.port)", name: "secret.jpg"), over: URLSessionTransport())
    let failure = try #require(exchange.failure)
    #expect(failure.isUntrusted, "\(failure)")
    #expect(!failure.isTransient)
    #expect(!server.said.contains("secret"))
  }

  @Test func `a server without TLS receives no plain text`() throws {
    let server = RudeServer { peer in
      // The first record of a handshake.
      #expect(peer.read(1) == [22])
      peer.answer(201)
    }
    defer { server.stop() }
    let url = "https://127.0.0.1:\(server.port)"
    let failure = try #require(Exchange(try .put(to: url), over: URLSessionTransport()).failure)
    #expect(failure.isUntrusted, "\(failure)")
    #expect(server.connectionCount == 1)
  }
}

/// A TLS server with a certificate that no authority of the system has signed; it logs what it receives.
final class TLSServer: Sendable {
  static let missing = "openssl is not installed (on Debian: apt-get install openssl)"
  static let openssl = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/openssl" }.first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  let port: Int
  private let folder = Scratch()
  private let process: Process

  /// - Parameter name: the certificate's subject, in its extension.
  init(certifiedFor name: String) throws {
    let (key, certificate) = (folder.path("key.pem"), folder.path("certificate.pem"))
    let said = folder.path("said.txt")
    let making = try Self.start(
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-addext"]
        + ["subjectAltName=\(name)", "-keyout", key, "-out", certificate], saying: folder.path("made.txt"))
    making.waitUntilExit()
    process = try Self.start(
      ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"], saying: said)
    var port: Int?
    _ = comesTrue {
      let line = try? String(contentsOfFile: said, encoding: .utf8).split(separator: "\n").first {
        $0.hasPrefix("ACCEPT ")
      }
      port = line.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
      return port != nil
    }
    guard let port else { throw NoServer() }
    self.port = port
  }

  private struct NoServer: Error {}

  var said: String { (try? String(contentsOfFile: folder.path("said.txt"), encoding: .utf8)) ?? "" }

  func stop() {
    // The signal that cannot be blocked: a process inherits the mask.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func start(_ arguments: [String], saying path: String) throws -> Process {
    guard let openssl else { throw NoServer() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: openssl)
    process.arguments = arguments
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}

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
