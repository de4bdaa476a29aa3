import Foundation
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct LatencyRequestTests {
  /// A pipe shows what a file does not: for how long somebody holds it open.
  @Test func `the request holds its file open until it ends`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("fanout-\(UUID().uuidString)")
      .path
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let request = try LatencyRequest(path: path, isSupported: true)
    var bytes = [UInt8](repeating: 7, count: 8)
    #expect(read(reader, &bytes, 8) == 4)
    #expect(bytes == [0, 0, 0, 0, 7, 7, 7, 7])
    // Nothing more, and not the end either.
    #expect(read(reader, &bytes, 8) == -1 && errno == EAGAIN)
    request.end()
    #expect(read(reader, &bytes, 8) == 0)
    request.end()
  }

  @Test func `a refusal says what the request needs`() {
    let absent = #expect(throws: LatencyRequest.Refused.self) {
      try LatencyRequest(path: "/absent/latency", isSupported: true)
    }
    #expect(absent?.description.hasPrefix("it needs /absent/latency, which is not there") == true)
    let elsewhere = #expect(throws: LatencyRequest.Refused.self) {
      try LatencyRequest(path: "/dev/latency", isSupported: false)
    }
    #expect(elsewhere?.description == "it needs Linux, whose kernel takes it in /dev/latency")
  }

  /// Root may write everything, so that tests cannot meet it.
  @Test(arguments: [
    (EACCES, "it needs write permission on /dev/latency"), (ENOSPC, "it cannot be written to"),
  ])
  func `a refusal says why`(code: Int32, text: String) {
    #expect(LatencyRequest.refused("/dev/latency", code).description.hasPrefix(text))
  }
}
