import Foundation
import RawThreads
import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct HTTPServiceTests {
  private let ledger = testLedger(8)

  private func service(
    over transport: FakeTransport, faults: Faults = Faults(),
    limits change: (inout HTTPService.Limits) -> Void = { _ in }
  ) throws -> HTTPService {
    var limits = HTTPService.Limits()
    change(&limits)
    return HTTPService.sharing(
      [Account(ledger: ledger, Scenario(name: "", photos: 0) { $0.faults = faults })], transport: transport,
      folder: try Endpoint("http://host/folder"), limits: limits)[0]
  }

  private func answers(_ requests: [Request], from service: HTTPService) -> [Result<Receipt, any Error>] {
    let answers = Answers<Receipt>()
    let handles = requests.map { request in service.perform(request) { answers.append($0) } }
    defer { withExtendedLifetime(handles) {} }
    return answers.wait(for: requests.count)
  }

  private func publish(_ post: Post, _ receipts: [Receipt], to service: HTTPService) throws -> Publication? {
    let posts = Answers<Publication>()
    let handle = service.createPost(post, receipts: receipts) { posts.append($0) }
    defer { withExtendedLifetime(handle) {} }
    return try posts.wait(for: 1).first?.get()
  }

  @Test func `a media file is PUT under its name`() throws {
    let transport = FakeTransport { _ in 201 }
    let post = testPost(2, payloadBytes: 1_003)
    let service = try service(over: transport)
    #expect(answers([.upload(post.media[1])], from: service).map(\.arrived) == [1])
    let request = try #require(transport.sent.first?.request)
    #expect(request.method == .put)
    #expect(request.url == "http://host/folder/000001-photo.bin")
    var reader = try MediaReader(post.media[1])
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_008, alignment: 16)
    defer { bytes.deallocate() }
    let count = try reader.read(into: bytes)
    #expect(request.body == Data(bytes[..<count]))
  }

  @Test func `every request is sent, and its answer is made locally`() throws {
    let transport = FakeTransport { $0.method == .head ? 404 : 201 }
    let service = try service(over: transport)
    let prepared = try service.prepare(testPost(1).media[0])
    let url = Request.issueURL(prepared)
    #expect(try answers([url], from: service)[0].get() == url.receipt)
    #expect(
      try answers([.uploadTo(UploadURL(for: prepared), prepared)], from: service)[0].get() == prepared.receipt
    )
    #expect(answers([.lookUp(.place)], from: service).map(\.arrived) == [PostDetail.place.rawValue])
    #expect(
      transport.sent.map { "\($0.request.method.rawValue) \($0.request.url)" } == [
        "HEAD http://host/folder/000000-photo.bin", "PUT http://host/folder/000000-photo.bin",
        "HEAD http://host/folder/place",
      ])
  }

  @Test func `a post is a manifest of its objects`() throws {
    let transport = FakeTransport { _ in 204 }
    let service = try service(over: transport)
    let post = testPost(3)
    let receipts = post.media.map(\.expectedReceipt)
    #expect(try publish(post, receipts, to: service) == Publication(postID: post.id, receipts: receipts))
    let request = try #require(transport.sent.first?.request)
    #expect(request.url == "http://host/folder/manifest.json")
    #expect(
      try JSONDecoder().decode(Manifest.self, from: request.body ?? Data())
        == Manifest(post, receipts: receipts))
    #expect(ledger.record().posts == [receipts])
  }

  @Test func `a refused post is not recorded`() throws {
    let service = try service(over: FakeTransport { _ in 507 })
    #expect(throws: HTTPFailure.status(507)) { try publish(testPost(0), [], to: service) }
    #expect(ledger.record().posts.isEmpty)
  }

  @Test(arguments: [(503, true), (429, true), (403, false), (302, false)])
  func `a failed status says whether to retry`(_ status: Int, isTransient: Bool) throws {
    let service = try service(over: FakeTransport { _ in status })
    let failure = answers([.upload(testPost(1).media[0])], from: service).first?.failure
    #expect(failure?.isTransient == isTransient)
    #expect(failure?.reason.hasPrefix("the server answered \(status)") == true)
    #expect(RetryPolicy.isTransient(failure ?? CancellationError()) == isTransient)
    #expect(ledger.record().requests[0] == .init(started: 1, failed: 1))
  }

  @Test func `no more requests are in flight than connections`() throws {
    let transport = FakeTransport()
    let service = try service(over: transport) { $0.connections = 2 }
    let answers = Answers<Receipt>()
    let handles = testPost(5).media.map { media in service.upload(media) { answers.append($0) } }
    for count in 2...5 {
      #expect(transport.first(count).count == count)
      transport.sent[count - 2].end(201)
    }
    transport.sent[4].end(201)
    #expect(answers.wait(for: 5).map(\.arrived) == [0, 1, 2, 3, 4])
    withExtendedLifetime(handles) {}
    #expect(ledger.peakInFlight == 5)
  }

  @Test func `bytes in memory are bounded, except for one body`() throws {
    let transport = FakeTransport()
    let service = try service(over: transport) { $0.bytesInMemory = 250 }
    let answers = Answers<Receipt>()
    let handles = testPost(4, payloadBytes: 100).media.map { media in
      service.upload(media) { answers.append($0) }
    }
    #expect(transport.first(2).count == 2)
    let big = service.upload(testPost(1, payloadBytes: 1_000).media[0]) { answers.append($0) }
    for index in 0..<4 { transport.first(index + 1)[index].end(201) }
    #expect(transport.first(5).map { $0.request.body?.count } == [100, 100, 100, 100, 1_000])
    transport.sent[4].end(201)
    #expect(answers.wait(for: 5).count == 5)
    withExtendedLifetime((handles, big)) {}
  }

  @Test func `a waiting request is cancelled at once and never sent`() throws {
    let transport = FakeTransport()
    let service = try service(over: transport) { $0.connections = 1 }
    let (first, second) = (Answers<Receipt>(), Answers<Receipt>())
    let media = testPost(2).media
    let handle = service.upload(media[0]) { first.append($0) }
    _ = transport.first(1)
    service.upload(media[1]) { second.append($0) }.cancel()
    #expect(second.wait(for: 1).map(\.isCancellation) == [true])
    transport.sent[0].end(201)
    #expect(first.wait(for: 1).map(\.arrived) == [0])
    withExtendedLifetime(handle) {}
    #expect(transport.sent.count == 1)
    #expect(ledger.record().requests[1] == .init(started: 1, cancelled: 1))
  }

  @Test func `a request in flight is cancelled with its transfer`() throws {
    let transport = FakeTransport()
    let service = try service(over: transport)
    let answers = Answers<Receipt>()
    let handle = service.upload(testPost(1).media[0]) { answers.append($0) }
    _ = transport.first(1)
    handle.cancel()
    handle.cancel()
    #expect(answers.wait(for: 1).map(\.isCancellation) == [true])
    #expect(ledger.record().requests[0] == .init(started: 1, cancelled: 1))
  }

  @Test func `a timeout is a transient failure`() throws {
    let transport = FakeTransport()
    let service = try service(over: transport) {
      $0.exchangeNanoseconds = 1_000_000
      $0.nanosecondsPerByte = 0
    }
    let failure = answers([.upload(testPost(1).media[0])], from: service).first?.failure
    #expect(failure == UploadFailure(mediaIndex: 0, reason: "no answer came in time", isTransient: true))
  }

  @Test func `faults of the scenario are never sent`() throws {
    let transport = FakeTransport { _ in 201 }
    let service = try service(
      over: transport, faults: Faults(failAt: 1, kind: .transient, failingAttempts: 1))
    let media = testPost(2).media[1]
    #expect(answers([.upload(media)], from: service).first?.failure?.isTransient == true)
    #expect(transport.sent.isEmpty)
    #expect(answers([.upload(media)], from: service).map(\.arrived) == [1])
  }

  @Test func `a silent request answers when it is cancelled`() throws {
    let transport = FakeTransport { _ in 201 }
    let service = try service(over: transport, faults: Faults(failAt: 0, kind: .silence))
    let silent = Answers<Receipt>()
    let handle = service.upload(testPost(1).media[0]) { silent.append($0) }
    #expect(answers([.upload(testPost(2).media[1])], from: service).map(\.arrived) == [1])
    handle.cancel()
    #expect(silent.wait(for: 1).map(\.isCancellation) == [true])
    #expect(transport.sent.count == 1)
  }

  @Test func `a file that has changed is not sent`() throws {
    let folder = Scratch()
    try Data(count: 100).write(to: URL(fileURLWithPath: folder.path("a.jpg")))
    let media = try MediaDirectory.media(in: folder.path)
    try Data(count: 101).write(to: URL(fileURLWithPath: folder.path("a.jpg")))
    let transport = FakeTransport { _ in 201 }
    let failure = answers([.upload(media[0])], from: try service(over: transport)).first?.failure
    #expect(failure?.reason == "the file has changed since the start of the run: start again")
    #expect(transport.sent.isEmpty)
  }

  @Test func `a blocking call returns the receipt or throws`() throws {
    let media = testPost(1).media[0]
    #expect(try service(over: FakeTransport { _ in 201 }).uploadBlocking(media) == media.expectedReceipt)
    #expect(throws: UploadFailure.self) {
      try service(over: FakeTransport { _ in 500 }).uploadBlocking(media)
    }
  }

  @Test func `uploaded parts make a post of parts`() throws {
    let transport = FakeTransport { _ in 201 }
    let service = HTTPService.sharing(
      [Account(ledger: ledger, Scenario(name: "", photos: 0) { $0.chunkBytes = 64 })], transport: transport,
      folder: try Endpoint("http://host"),
      storesParts: true)[0]
    let post = testPost(1, payloadBytes: 100)
    let reader = try service.chunks(of: post.media[0])
    var receipts: [Receipt] = []
    while let chunk = try reader.next() {
      receipts.append(try answers([.uploadChunk(chunk)], from: service)[0].get())
    }
    _ = try publish(post, receipts, to: service)
    let folder = Scratch()
    for sent in transport.sent {
      try sent.request.body?.write(to: URL(fileURLWithPath: folder.path(sent.request.name)))
    }
    var scenario = Scenario(name: "x", pattern: .stream, photos: 1, payloadBytes: 100) { $0.chunkBytes = 64 }
    let expectation = try Expectation(scenario: scenario, post: post)
    #expect(try StoreVerifier.problems(of: expectation, inStore: folder.path) == [])
    scenario.chunkBytes = 56
    #expect(
      try StoreVerifier.problems(of: Expectation(scenario: scenario, post: post), inStore: folder.path).map(
        \.description)
        == [
          "000000-part.bin is damaged: it ends after byte 56", "000001-part.bin is damaged: byte 0 differs",
          "manifest.json is damaged: it lists other objects than the post has",
        ])
    #expect(comesTrue { ledger.chunksAlive == 0 })
  }

  @Test func `a released service leaves nothing`() throws {
    weak var transport: FakeTransport?
    weak var token: Token?
    try {
      let fake = FakeTransport { _ in 201 }
      transport = fake
      let service = try service(over: fake)
      let answers = Answers<Receipt>()
      let own = Token()
      token = own
      let handle = service.upload(testPost(1).media[0]) { result in
        answers.append(result)
        withExtendedLifetime(own) {}
      }
      _ = answers.wait(for: 1)
      // Too late: it has arrived.
      handle.cancel()
    }()
    #expect(comesTrue { transport == nil && token == nil })
  }
}
