import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct MakeServiceTests {
  private func make(_ kind: ServiceKind, store: String? = nil, media: String? = nil) throws
    -> any UploadService
  {
    try makeService(
      for: Scenario(name: "test", service: kind, photos: 1) {
        $0.mediaDirectory = media
        $0.storeDirectory = store
      },
      post: testPost(1), ledger: testLedger(1), storeSubdirectory: "callbacks")
  }

  @Test func `the latency service holds answers when requested`() throws {
    let scenario = Scenario(name: "test", service: .latency, photos: 2) {
      ($0.latency, $0.order, $0.holdsAnswers) = (.fixed(nanoseconds: 3_600_000_000_000), .reverse, true)
    }
    let post = testPost(2)
    let service = try makeService(for: scenario, post: post, ledger: testLedger(2))
    #expect(service is SimulatedService)
    let answers = upload(post.media, to: service)
    #expect(answers.wait(for: 2).map(\.arrived) == [1, 0])
    #expect(scenario.idealNanoseconds(for: post) == nil)
  }

  @Test func `a scenario gets the service it names`() throws {
    let (instant, latency) = (try make(.instant), try make(.latency))
    #expect(instant is InstantService)
    #expect(latency is SimulatedService)
    let store = Scratch()
    let file = try make(.file, store: store.path)
    #expect(file is FileService)
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.path) == ["callbacks"])
  }

  @Test func `a store in the media directory is refused`() throws {
    let media = Scratch()
    for store in [media.path, media.path + "/deep/store", media.path + "/x/.."] {
      #expect(throws: FileError.self) { try make(.file, store: store, media: media.path) }
    }
    #expect(throws: Never.self) { try make(.file, store: media.path + "-store", media: media.path) }
    try FileManager.default.removeItem(atPath: media.path + "-store")
  }

  /// The answers alone do not show it: those to a queue come in its order.
  @Test(arguments: ServiceKind.allCases, [false, true])
  func `a post is recorded when it is requested`(kind: ServiceKind, holdsAnswers: Bool) throws {
    let store = Scratch()
    var scenario = Scenario(name: "test", service: kind, photos: 2) { $0.storeDirectory = store.path }
    scenario.latency = .fixed(nanoseconds: 1_000)
    scenario.holdsAnswers = holdsAnswers && kind == .latency
    scenario.endpoint = "http://host"
    let (ledger, post) = (testLedger(2), testPost(2))
    let service = try makeServices(
      for: scenario, post: post, ledgers: [ledger], transport: { _ in FakeTransport { _ in 201 } })[0]
    let posts = Answers<Publication>()
    func create() { _ = service.createPost(post, receipts: []) { posts.append($0) } }
    create()
    #expect(ledger.record().answersBeforePost == 0)
    _ = posts.wait(for: 1)
    ledger.open()
    let answers = upload(post.media, to: service)
    _ = answers.wait(for: 2)
    create()
    #expect(ledger.record().answersBeforePost == 2)
    _ = posts.wait(for: 2)
  }

  @Test(arguments: ServiceKind.allCases)
  func `services that share threads keep their own ledgers`(kind: ServiceKind) throws {
    let store = Scratch()
    let ledgers = (0..<3).map { _ in testLedger(2) }
    let post = testPost(2)
    var scenario = Scenario(name: "test", service: kind, photos: 2) { $0.storeDirectory = store.path }
    scenario.latency = .fixed(nanoseconds: 1_000_000)
    scenario.endpoint = "http://host"
    let answers = Answers<Receipt>()
    do {
      let services = try makeServices(
        for: scenario, post: post, ledgers: ledgers, transport: { _ in FakeTransport { _ in 201 } })
      // The first gets one upload, the second two, the third none.
      _ = services[0].upload(post.media[1]) { answers.append($0) }
      for media in post.media { _ = services[1].upload(media) { answers.append($0) } }
    }
    // The services are released, and their requests are still answered.
    #expect(answers.wait(for: 3).compactMap(\.arrived).sorted() == [0, 1, 1])
    #expect(ledgers.map { $0.record().requests.map(\.finished) } == [[0, 1], [1, 1], [0, 0]])
  }

  @Test func `an HTTP service needs an endpoint and a transport`() {
    var scenario = Scenario(name: "test", service: .http, photos: 1)
    #expect(throws: EndpointError.self) {
      try makeService(for: scenario, post: testPost(1), ledger: testLedger(1))
    }
    scenario.endpoint = "http://host"
    #expect(throws: HTTPIsMissing.self) {
      try makeService(for: scenario, post: testPost(1), ledger: testLedger(1))
    }
  }

  @Test func `a file service needs a store`() { #expect(throws: FileError.self) { try make(.file) } }
}
