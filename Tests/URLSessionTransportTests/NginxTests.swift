import Registry
import Foundation
import RawThreads
import Synchronization
import TestSupport
import Testing
import UploadScenario
import UploadServices

@testable import URLSessionTransport

/// Uploads to a web server that is none of ours.
@Suite(.ownThread(minutes: 10), .serialized, .enabled(if: NginxServer.isInstalled, NginxServer.missing))
struct NginxTests {
  static let names = ["callbacks", "swift-concurrency"]

  private func contender(_ name: String) throws -> any Contender {
    try #require(Registry.contenders.first { $0.name == name })
  }

  @Test(arguments: names) func `an upload to nginx is stored byte for byte`(_ name: String) throws {
    let server = try NginxServer()
    defer { server.remove() }
    #expect(try ContendersOverHTTPTests.problems(contender(name), .publish, at: server.url) == [])
  }

  @Test(arguments: names) func `a server that is killed and restarted loses nothing`(_ name: String) throws {
    let server = try NginxServer()
    defer { server.remove() }
    let scenario = Scenario(
      name: "killed", pattern: .resilient, service: .http, photos: 600
    ) { $0.endpoint = server.url }
    let post = Post.synthetic(photos: 600, videos: 0, payloadBytes: scenario.payloadBytes, seed: 1)
    let service = try makeServices(
      for: scenario, post: post,
      ledgers: [Ledger(requestCount: 600, nanoseconds: { MonotonicClock.nanoseconds() })],
      storeSubdirectory: name, transport: { _ in URLSessionTransport() })[0]
    let result = Mutex<Result<Publication, any Error>?>(nil)
    let policy = RetryPolicy(
      attempts: 400, firstBackoff: .milliseconds(20), longestBackoff: .milliseconds(100))
    let handle = try contender(name).resilient(post, to: service, policy: policy) { answer in
      result.withLock { $0 = answer }
    }
    defer { withExtendedLifetime(handle) {} }
    let objects = "\(server.store)/\(name)/\(scenario.name)"
    func stored() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: objects).count) ?? 0 }
    #expect(comesTrue { stored() > 10 })
    try server.kill()
    // In the middle: neither all of it was stored, nor has it ended.
    #expect((11..<600).contains(stored()))
    #expect(result.withLock { $0 == nil })
    try server.comeBack()
    #expect(comesTrue { result.withLock { $0 != nil } })
    let publication = try #require(try result.withLock { $0 }?.get())
    #expect(publication.receipts.count == 600)
    #expect(
      try StoreVerifier.problems(of: Expectation(scenario: scenario, post: post), inStore: objects) == [])
  }
}
