import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct EndpointTests {
  @Test(arguments: [
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
    ("HTTPS://Example.org//a///b/", "https://Example.org/a/b"),
    ("http://[::1]:80/up%20loads", "http://[::1]:80/up%20loads"),
    ("http://host/a+b;c=d", "http://host/a+b;c=d"),
  ])
  func `an endpoint is a server and a folder`(_ text: String, url: String) throws {
    #expect(try Endpoint(text).url == url)
  }

  @Test(arguments: [
    ("", "give the whole URL"), ("localhost:8080", "give the whole URL"), ("/uploads", "give the whole URL"),
    ("http://", "give the whole URL"), ("http:///x", "give the whole URL"),
    ("http://a:b", "give the whole URL"),
    ("ftp://host/", "only http and https"), ("file:///etc", "give the whole URL"),
    ("http://me:secret@host/", "a user name or password"), ("http://me@host/", "a user name or password"),
    ("http://host/?token=x", "begins with ? or #"), ("http://host/#x", "begins with ? or #"),
    ("http://host:0/", "a port of 1 to"), ("http://host:65536/", "a port of 1 to"),
    ("http://host/../x", ". and .."), ("http://host/%2E%2E/x", ". and .."), ("http://host/a b", "spaces"),
    ("http://host/\r\nX: y", "spaces"), ("http://höst/", "spaces"), ("http://host\u{0}/", "spaces"),
  ])
  func `an invalid endpoint is refused with a reason`(_ text: String, reason: String) {
    let error = #expect(throws: EndpointError.self) { try Endpoint(text) }
    #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("publish-http-10", "publish-http-10"), ("gcd-groups+semaphore", "gcd-groups+semaphore"), ("..", "_.."),
    ("../../etc", "_.._.._etc"), ("a/b?c#d", "a_b_c_d"), ("", "_"), (".hidden", "_.hidden"), ("ä\u{7}", "__"),
  ])
  func `no name leaves the endpoint's folder`(_ name: String, safe: String) throws {
    #expect(try Endpoint("http://host/up").appending(name).url == "http://host/up/\(safe)")
    #expect(HTTPRequest(.put, name, in: try Endpoint("http://host/up")).url == "http://host/up/\(safe)")
  }

  @Test(
    arguments: [
      (nil, [200, 201, 202, 204, 299]), (true, [408, 425, 429, 500, 502, 503, 504, 508, 511, 599]),
      (false, [0, 100, 101, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 411, 413]),
      (false, [422, 501, 505, 507, 600, 999]),
    ] as [(Bool?, [Int])])
  func `a status is a success, a transient failure or a final one`(isTransient: Bool?, statuses: [Int]) {
    for status in statuses { #expect(HTTPFailure(status: status)?.isTransient == isTransient, "\(status)") }
  }

  @Test func `only failures without an answer may be retried`() {
    let transient: [HTTPFailure] = [.timedOut, .unreachable(reason: ""), .broken(reason: "")]
    let final: [HTTPFailure] = [
      .cancelled, .untrusted(reason: ""), .redirected(status: 302, location: ""), .tooLong(reason: ""),
    ]
    #expect(transient.map(\.isTransient) == [true, true, true])
    #expect(final.map(\.isTransient) == [false, false, false, false])
  }

  @Test func `a status names the remedy if there is one`() {
    #expect(
      HTTPFailure.status(405).description
        == "the server answered 405 (the server accepts no PUT there: is WebDAV enabled?)")
    #expect(HTTPFailure.status(503).description == "the server answered 503")
  }
}
