import Foundation
import RawThreads
import Registry
import TestSupport
import Testing
import UploadScenario
import UploadServices

@testable import URLSessionTransport

/// Uploads to a web server of another project.
@Suite(.ownThread(minutes: 10), .serialized, .enabled(if: NginxServer.isInstalled, NginxServer.missing))
struct NginxTests {
  static let names = ["callbacks", "swift-concurrency"]

  private func contender(_ name: String) throws -> any Contender {
    try #require(Registry.contenders.first { $0.name == name })
  }

  @Test(arguments: names) func `an upload to nginx is stored byte for byte`(_ name: String) throws {
    let server = try NginxServer()
    defer { try? server.kill() }
    #expect(try ContendersOverHTTPTests.problems(contender(name), .publish, at: server.url) == [])
  }

  @Test(arguments: names) func `a server that is killed and restarted loses nothing`(_ name: String) throws {
    let server = try NginxServer()
    defer { try? server.kill() }
    let scenario = Scenario(
      name: "killed", pattern: .resilient, service: .http, photos: 600
    ) { $0.endpoint = server.url }
    let post = Post.synthetic(photos: 600, videos: 0, payloadBytes: scenario.payloadBytes, seed: 1)
    let service = try makeServices(
      for: scenario, post: post,
      ledgers: [Ledger(requestCount: 600, nanoseconds: { MonotonicClock.nanoseconds() })],
      storeSubdirectory: name, transport: { _ in URLSessionTransport() })[0]
    let results = Log<Result<Publication, any Error>>()
    let policy = RetryPolicy(
      attempts: 400, firstBackoff: .milliseconds(20), longestBackoff: .milliseconds(100))
    let handle = try contender(name).resilient(post, to: service, policy: policy) { results.append($0) }
    defer { withExtendedLifetime(handle) {} }
    let objects = "\(server.store)/\(name)/\(scenario.name)"
    func stored() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: objects).count) ?? 0 }
    #expect(comesTrue { stored() > 10 })
    try server.kill()
    // In the middle: not all is stored, and the post has not ended.
    #expect((11..<600).contains(stored()))
    #expect(results.count == 0)
    try server.comeBack()
    let publication = try #require(try results.wait(for: 1).first?.get())
    #expect(publication.receipts.count == 600)
    #expect(
      try StoreVerifier.problems(of: Expectation(scenario: scenario, post: post), inStore: objects) == [])
  }
}

/// The server that `Scripts/upload-server` starts, in a folder of its own.
final class NginxServer: Sendable {
  static let missing: Comment = "nginx is not installed (on Debian: apt-get install nginx-light)"
  static var isInstalled: Bool {
    ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/nginx")
    }
  }

  let url: String
  let store: String
  private let folder = Scratch()

  init() throws {
    store = folder.path("store")
    let said = try Self.script(["start", "--store", store], in: folder)
    let line = said.split(separator: "\n").first { $0.hasPrefix("endpoint") } ?? ""
    url = line.split(separator: " ").last.map(String.init) ?? ""
  }

  /// Ends it with all its connections; its store stays.
  func kill() throws { _ = try Self.script(["stop"], in: folder) }

  /// Starts it again where it was.
  func comeBack() throws {
    let port = url.split(separator: ":").last.map(String.init) ?? ""
    _ = try Self.script(["start", "--port", port, "--store", store], in: folder)
  }

  private struct Refusal: Error { let said: String }

  private static func script(_ arguments: [String], in folder: Scratch) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let process = Process()
    // Foundation detects a process's end by an inherited descriptor, which the lasting server would keep open.
    let closing =
      #"for f in /dev/fd/*; do n=${f##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done; exec "$0" "$@""#
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments =
      ["-c", closing, root.appendingPathComponent("Scripts/upload-server").standardized.path] + arguments
    var environment = ProcessInfo.processInfo.environment
    environment["FANOUT_UPLOAD_SERVER"] = folder.path("server")
    process.environment = environment
    // A file, not a pipe: the server keeps it open as long as it runs.
    let path = folder.path("said.txt")
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    let said = try String(contentsOfFile: path, encoding: .utf8)
    guard process.terminationStatus == 0 else { throw Refusal(said: said) }
    return said
  }
}
