import Dispatch
import Registry
import Synchronization
import TestSupport
import Testing
import UploadScenario

/// What follows an answer runs where the context says.
@Suite(.ownThread) struct ContextTests {
  struct Subject: CustomTestStringConvertible {
    let contender: any Contender
    let pattern: Pattern

    var testDescription: String { "\(contender.name) \(pattern.rawValue)" }
  }

  /// Those that follow an answer there in every pattern; of the others, `Documentation/Contenders.md` says where they cannot.
  static let strict = ["callbacks", "closure-tasks", "futures", "coroutines", "reactive-streams"]

  static func subjects(_ context: CompletionContext, _ patterns: [Pattern] = Pattern.allCases) -> [Subject] {
    contenders.filter { strict.contains($0.name) }.compactMap { $0.on(context) }.flatMap { contender in
      patterns.filter(contender.patterns.contains).map { Subject(contender: contender, pattern: $0) }
    }
  }

  /// Those in which nothing but an answer lets the job go on.
  static let answered = [Pattern.publish, .sequence, .zip, .zipSerial]

  @Test(arguments: subjects(.inline, answered))
  func `inline, the answering thread goes on with the job`(_ subject: Subject) throws {
    let calls = try calls(of: subject)
    #expect(calls.elsewhere == 0 && calls.byAnswers > 0)
  }

  @Test(arguments: subjects(.queue) + subjects(.pool))
  func `on a queue or a pool, the answering thread does nothing but answer`(_ subject: Subject) throws {
    let calls = try calls(of: subject)
    #expect(calls.byAnswers == 0 && calls.elsewhere > 0)
  }

  @Test(arguments: subjects(.queue, answered))
  func `on a queue, one thing follows the other`(_ subject: Subject) throws {
    #expect(try calls(of: subject).overlapping == 0)
  }

  /// Twenty uploads, at most four in flight where the pattern can.
  private func calls(of subject: Subject) throws -> AnsweringService.Calls {
    let scenario = Scenario(
      name: "context", pattern: subject.pattern, photos: subject.pattern == .stream ? 1 : 20,
      payloadBytes: 1_024, limit: subject.pattern == .publish ? 4 : nil
    ) { $0.hedgeDelay = .seconds(3600) }
    let service = AnsweringService()
    let ended = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Publication, any Error>?>(nil)
    let post = Post.synthetic(
      photos: scenario.photos, videos: 0, payloadBytes: scenario.payloadBytes, seed: 1)
    _ = subject.contender.start(scenario, post: post, service: service) { end in
      service.called()
      result.withLock { $0 = end }
      ended.signal()
    }
    service.beginToAnswer()
    ended.wait()
    _ = try #require(result.withLock { $0 }).get()
    return service.calls
  }
}

/// Answers one request after another on a queue of its own, and notes where it is called from.
private final class AnsweringService: UploadService {
  struct Calls {
    /// By whoever was given an answer, within the answer.
    var byAnswers = 0
    /// On other threads, once answers have begun.
    var elsewhere = 0
    var overlapping = 0
    var current = 0
    var hasBegun = false
  }

  private final class Handle: Cancellable { func cancel() {} }

  private static let key = DispatchSpecificKey<Bool>()
  private let answers = DispatchQueue(label: "answers")
  private let state = Mutex(Calls())

  init() {
    answers.setSpecific(key: Self.key, value: true)
    answers.suspend()
  }

  var calls: Calls { state.withLock { $0 } }

  func beginToAnswer() {
    state.withLock { $0.hasBegun = true }
    answers.resume()
  }

  /// Notes a call, and takes some time, so that calls which can overlap do.
  func called() {
    let isCounted = state.withLock { calls in
      guard calls.hasBegun else { return false }
      let isAnswering = DispatchQueue.getSpecific(key: Self.key) != nil
      if isAnswering { calls.byAnswers += 1 } else { calls.elsewhere += 1 }
      if calls.current > 0 { calls.overlapping += 1 }
      calls.current += 1
      return true
    }
    guard isCounted else { return }
    let end = DispatchTime.now() + .microseconds(50)
    while DispatchTime.now() < end {}
    state.withLock { $0.current -= 1 }
  }

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    called()
    answers.async {
      let receipt = request.receipt
      if case .uploadChunk(let chunk) = request { chunk.giveBack() }
      completion(.success(receipt))
    }
    return Handle()
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    called()
    answers.async { completion(.success(Publication(postID: post.id, receipts: receipts))) }
    return Handle()
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { media.expectedReceipt }
  func prepare(_ media: Media) throws -> PreparedMedia { try PreparedMedia(media, passes: 1) }
  func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 8) }
}
