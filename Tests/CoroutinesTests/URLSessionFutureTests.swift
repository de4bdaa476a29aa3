import Coroutines
import CoroutinesFoundation
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.ownThread) struct URLSessionFutureTests {
  /// Answers by the host's name, without a network.
  private final class Answers: URLProtocol {
    static let started = CoPromise<Bool>()
    static let stopped = CoPromise<String>()

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      let url = request.url!
      switch url.host() {
      case "answer":
        let response = HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil)!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data((request.httpMethod ?? "").utf8))
        client?.urlProtocolDidFinishLoading(self)
      case "failure": client?.urlProtocol(self, didFailWithError: URLError(.cannotFindHost))
      default: Self.started.success(true)
      }
    }
    override func stopLoading() { if request.url?.host() == "never" { Self.stopped.success("never") } }
  }

  private let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Answers.self]
    return URLSession(configuration: configuration)
  }()

  @Test func `the data and the response come back`() async throws {
    var request = URLRequest(url: URL(string: "http://answer/")!)
    request.httpMethod = "PUT"
    let (get, put) = (session.dataTaskFuture(for: request.url!), session.dataTaskFuture(for: request))
    let text = try await CoFuture {
      let (data, response) = try get.await()
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      return
        "\(status) \(String(decoding: data, as: UTF8.self)) \(String(decoding: try put.await().data, as: UTF8.self))"
    }.value
    #expect(text == "404 GET PUT")
  }

  @Test func `an error is the request's`() async {
    let future = session.dataTaskFuture(for: URL(string: "http://failure/")!)
    await #expect { _ = try await future.value } throws: { ($0 as? URLError)?.code == .cannotFindHost }
  }

  @Test func `cancelling the future cancels the request`() async throws {
    let future = session.dataTaskFuture(for: URL(string: "http://never/")!)
    _ = try await Answers.started.value
    future.cancel()
    await #expect(throws: CancellationError.self) { _ = try await future.value }
    #expect(try await Answers.stopped.value == "never")
  }
}
