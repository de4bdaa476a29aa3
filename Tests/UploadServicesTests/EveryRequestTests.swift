import RawThreads
import TestSupport
import Testing
import UploadScenario
import UploadServices

/// Requests that all services answer alike.
@Suite(.ownThread) struct EveryRequestTests {
  static let post = testPost(2, payloadBytes: 64)
  static let prepared = post.media.map { try! PreparedMedia($0, passes: 1) }

  private func service(_ kind: ServiceKind, _ pattern: Pattern, faults: Faults = Faults()) throws -> (
    any UploadService, Ledger
  ) {
    var scenario = Scenario(name: "test", pattern: pattern, service: kind, photos: 2) { $0.faults = faults }
    scenario.latency = .fixed(nanoseconds: 1_000)
    let ledger = testLedger(scenario.requestCount)
    return (try makeService(for: scenario, post: Self.post, ledger: ledger), ledger)
  }

  private func answer(_ request: Request, from service: any UploadService) -> Result<Receipt, any Error>? {
    let answers = Answers<Receipt>()
    let handle: any Cancellable = service.perform(request) { answers.append($0) }
    defer { withExtendedLifetime(handle) {} }
    return answers.wait(for: 1).first
  }

  private func receipt(_ request: Request, from service: any UploadService) throws -> Receipt {
    let answer = answer(request, from: service)
    return try #require(answer).get()
  }

  @Test(arguments: [ServiceKind.instant, .latency])
  func `a prepared media file is uploaded to its URL`(_ kind: ServiceKind) throws {
    let (service, ledger) = try service(kind, .presigned)
    let prepared = try service.prepare(Self.post.media[1])
    #expect(prepared == Self.prepared[1])
    let issued = try self.receipt(.issueURL(prepared), from: service)
    #expect(UploadURL(token: issued.checksum) == UploadURL(for: prepared))
    let receipt = try self.receipt(.uploadTo(UploadURL(for: prepared), prepared), from: service)
    #expect(receipt == prepared.receipt)
    #expect(comesTrue { ledger.uploadsInFlight == 0 })
    let record = ledger.record()
    #expect(
      record.requests == [.init(), .init(), .init(started: 1, finished: 1), .init(started: 1, finished: 1)])
    #expect(record.peakChains == 1)
  }

  @Test(arguments: [ServiceKind.instant, .latency])
  func `a URL of another media file is refused`(_ kind: ServiceKind) throws {
    let (service, _) = try service(kind, .presigned)
    let wrong = Request.uploadTo(UploadURL(for: Self.prepared[0]), Self.prepared[1])
    #expect(
      answer(wrong, from: service)?.failure
        == UploadFailure(mediaIndex: 1, reason: "the URL was issued for another media file"))
  }

  @Test(arguments: [ServiceKind.instant, .latency])
  func `a chunk is given back before its answer`(_ kind: ServiceKind) throws {
    let (service, ledger) = try service(kind, .stream)
    let read = try service.chunks(of: Self.post.media[0]).next()
    let chunk = try #require(read)
    let expected = chunk.receipt
    let answers = Answers<Receipt>()
    let alive = Log<Int>()
    let handle = service.perform(.uploadChunk(chunk)) { result in
      alive.append(ledger.chunksAlive)
      answers.append(result)
    }
    #expect(try answers.wait(for: 1).first?.get() == expected)
    #expect(alive.entries == [0])
    withExtendedLifetime((chunk, handle)) {}
  }

  @Test(arguments: [ServiceKind.instant, .blocking])
  func `a blocking call returns the receipt or throws`(_ kind: ServiceKind) throws {
    let (service, ledger) = try service(kind, .blocking, faults: Faults(failAt: 1))
    #expect(try service.uploadBlocking(Self.post.media[0]) == Self.post.media[0].expectedReceipt)
    #expect(throws: UploadFailure.self) { try service.uploadBlocking(Self.post.media[1]) }
    #expect(ledger.record().requests == [.init(started: 1, finished: 1), .init(started: 1, failed: 1)])
  }

  @Test func `a silent request answers when it is cancelled`() throws {
    let faults = Faults(failAt: 0, kind: .silence, failingAttempts: 1)
    let (service, ledger) = try service(.latency, .resilient, faults: faults)
    let answers = Answers<Receipt>()
    let handle = service.upload(Self.post.media[0]) { answers.append($0) }
    // Another request is answered meanwhile.
    #expect(answer(.upload(Self.post.media[1]), from: service)?.arrived == 1)
    #expect(ledger.uploadsInFlight == 1)
    handle.cancel()
    #expect(answers.wait(for: 1).first?.isCancellation == true)
    #expect(answer(.upload(Self.post.media[0]), from: service)?.arrived == 0)
    #expect(ledger.record().requests[0] == .init(started: 2, finished: 1, cancelled: 1))
  }

  @Test func `a failing mirror fails neither the other nor the job`() throws {
    let (service, ledger) = try service(.instant, .race, faults: Faults(failAt: 0, mirror: .primary))
    let media = Self.post.media[0]
    #expect(answer(.uploadToMirror(media, .primary), from: service)?.failure?.mediaIndex == 0)
    #expect(answer(.uploadToMirror(media, .secondary), from: service)?.arrived == 0)
    #expect(comesTrue { ledger.uploadsInFlight == 0 })
    #expect(ledger.record().firstFailureNanoseconds == nil)
  }

  @Test func `the file service stores prepared and blocking uploads`() throws {
    let folder = Scratch()
    var scenario = Scenario(name: "test", pattern: .presigned, service: .file, photos: 2)
    scenario.storeDirectory = folder.path
    let ledger = testLedger(scenario.requestCount)
    let service = try makeService(for: scenario, post: Self.post, ledger: ledger)
    let prepared = try service.prepare(Self.post.media[1])
    let url = UploadURL(for: prepared)
    #expect(try answer(.uploadTo(url, prepared), from: service)?.get() == prepared.receipt)
    #expect(try service.uploadBlocking(Self.post.media[0]) == Self.post.media[0].expectedReceipt)
    let problems = try StoreVerifier.problems(of: Self.post, inStore: folder.path)
    #expect(problems.map(\.description) == ["manifest.json is missing"])
  }
}
