import Registry
import Foundation
@testable import Harness
import TestSupport
import Testing
import UploadScenario
import UploadServices

@testable import URLSessionTransport

@Suite(.ownThread(minutes: 20)) struct ContendersOverHTTPTests {
  /// Broken promises, and differences between the server's objects and the post.
  static func problems(_ contender: any Contender, _ pattern: Pattern, at url: String) throws -> [String] {
    let transport = URLSessionTransport()
    let setup = UploadSetup(contender, makePost: { post($0) }) { scenario, post, ledgers in
      try makeServices(
        for: scenario, post: post, ledgers: ledgers, storeSubdirectory: contender.name,
        transport: { _ in transport })
    }
    let worker = UploadWorker(setup)
    var problems: [String] = []
    for var scenario in Catalog.verification(of: pattern, at: url, seed: 1)
    where scenario.fanOut == 3 || (Effort.isThorough && scenario.fanOut == 17) {
      // A debug build takes too long to make more bytes.
      scenario.payloadBytes = min(scenario.payloadBytes, 64 * 1024)
      var reply: SampleReply
      // On a busy machine a late cancellation is not the contender's fault.
      var tries = 0
      repeat {
        reply = try worker.run(SampleRequest(scenario: scenario, iterations: 1))
        tries += 1
      } while reply.reason?.hasSuffix(WorkerFailure.starvation) == true && tries < 50
      if reply.outcome != .measured { problems.append("\(scenario.name): \(reply.reason ?? "")") }
      let expectation = try Expectation(scenario: scenario, post: post(scenario))
      guard expectation.ending == .publication else { continue }
      let folder = Scratch()
      try RemoteFolder(Endpoint(url).folder(of: contender.name, scenario), over: transport)
        .copy(StoredObject.all(of: expectation.post, scenario), to: folder.path, connections: 2)
      problems += try StoreVerifier.problems(of: expectation, inStore: folder.path).map {
        "\(scenario.name): \($0)"
      }
    }
    return problems
  }

  private static func post(_ scenario: Scenario) -> Post {
    .synthetic(
      photos: scenario.photos, videos: scenario.videos, payloadBytes: scenario.payloadBytes,
      seed: scenario.seed)
  }

  @Test(arguments: Pattern.allCases)
  func `every contender keeps each pattern over HTTP`(_ pattern: Pattern) throws {
    let server = HonestServer()
    defer { server.stop() }
    for contender in Registry.contenders where contender.patterns.contains(pattern) {
      let problems = try Self.problems(contender, pattern, at: server.url)
      #expect(problems == [], "\(contender.name)")
    }
  }
}
