import TestSupport
import Testing

@testable import UploadServices

@Suite(.ownThread) struct HTTPFailureTests {
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
