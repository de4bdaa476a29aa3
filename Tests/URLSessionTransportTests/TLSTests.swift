import Foundation
import TestSupport
import Testing
import UploadServices

@testable import URLSessionTransport

/// Who cannot prove to be the endpoint is sent nothing, and no setting of the environment changes that.
@Suite(.ownThread, .serialized) struct TLSTests {
  @Test(
    .enabled(if: TLSServer.openssl != nil, Comment(rawValue: TLSServer.missing)),
    arguments: ["IP:127.0.0.1", "DNS:example.org"])
  func `an untrusted server is sent nothing`(certifiedFor name: String) throws {
    let server = try TLSServer(certifiedFor: name)
    defer { server.stop() }
    for variable in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED"] {
      setenv(variable, "0", 1)
    }
    defer {
      for variable in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED"] {
        unsetenv(variable)
      }
    }
    let exchange = Exchange(
      try .put(to: "https://127.0.0.1:\(server.port)", name: "secret.jpg"), over: URLSessionTransport())
    let failure = try #require(exchange.failure)
    guard case .untrusted = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(!failure.isTransient)
    #expect(!server.said.contains("secret"))
  }

  @Test func `a server without TLS is not spoken to in the clear`() throws {
    let server = RudeServer { peer in
      // The first record of a handshake, and nothing that a reader could read.
      #expect(peer.read(1) == [22])
      peer.answer(201)
    }
    defer { server.stop() }
    let url = "https://127.0.0.1:\(server.port)"
    let failure = try #require(Exchange(try .put(to: url), over: URLSessionTransport()).failure)
    guard case .untrusted = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(server.connectionCount == 1)
  }
}
