import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CriticalPathTests {
  typealias Moment = PostTrace.Moment

  /// A request made and answered at these moments on these threads; both calls return 5 ns later.
  private func request(_ index: Int?, _ asked: (Int, UInt64), _ answered: (Int, UInt64)) -> PostTrace.Request
  {
    PostTrace.Request(
      index: index, asked: Moment(thread: asked.0, nanoseconds: asked.1), askReturned: asked.1 + 5,
      answered: Moment(thread: answered.0, nanoseconds: answered.1), answerReturned: answered.1 + 5)
  }

  private func post(_ requests: [PostTrace.Request], end: (Int, UInt64), asksAtOnce: Bool = true) -> PostTrace
  {
    PostTrace(
      requests: requests, startReturned: 30, completed: Moment(thread: end.0, nanoseconds: end.1),
      asksAtOnce: asksAtOnce)
  }

  private func words(_ path: CriticalPath) -> [String] {
    path.spans.map { "\($0.kind.rawValue) \($0.from)-\($0.to)" + ($0.request.map { " of \($0)" } ?? "") }
  }

  @Test func `a callback chain has no hand-over`() {
    let path = CriticalPath(
      post(
        [request(0, (0, 10), (1, 100)), request(1, (0, 20), (1, 200)), request(nil, (1, 203), (1, 300))],
        end: (1, 302)))
    #expect(
      words(path) == [
        "in the idiom 0-20", "in flight 20-200 of 1", "in the idiom 200-203", "in flight 203-300 of 2",
        "in the idiom 300-302",
      ])
    #expect(path.handOvers.isEmpty)
    #expect(path.explainedShare == 1)
  }

  @Test func `a task group is handed to the pool and back`() {
    let path = CriticalPath(
      post(
        [request(0, (2, 40), (1, 140)), request(1, (3, 45), (1, 120)), request(nil, (2, 170), (1, 260))],
        end: (3, 290)))
    #expect(
      words(path) == [
        "handed over 0-40", "in flight 40-140 of 0", "handed over 140-170", "in flight 170-260 of 2",
        "handed over 260-290",
      ])
    #expect(path.handOvers.map(\.to.nanoseconds) == [40, 45, 170, 290])
    #expect(path.handOvers.map(\.from.nanoseconds) == [0, 0, 140, 260])
    #expect(path.nanoseconds(.handedOver) == 100)
    #expect(path.explainedShare == 1)
  }

  @Test func `a request that waits follows the latest answer`() {
    let serial = [
      request(0, (0, 10), (1, 100)), request(1, (2, 130), (1, 200)), request(nil, (2, 230), (1, 300)),
    ]
    #expect(
      words(CriticalPath(post(serial, end: (1, 302), asksAtOnce: false))).prefix(4) == [
        "in the idiom 0-10", "in flight 10-100 of 0", "handed over 100-130", "in flight 130-200 of 1",
      ])
    // A request that waits for nothing is only late.
    #expect(words(CriticalPath(post(serial, end: (1, 302)))).first == "handed over 0-130")
  }

  /// A service may answer before the requesting call returns, and the contender may make requests within the answer.
  @Test func `a request made within an answer follows that answer`() {
    // Another request was answered meanwhile, elsewhere.
    let other = request(1, (0, 15), (3, 101))
    let inner = request(2, (1, 102), (1, 190))
    let path = CriticalPath(
      post([request(0, (0, 10), (1, 100)), other, inner, request(nil, (1, 192), (1, 250))], end: (1, 251)))
    #expect(
      words(path).prefix(4) == [
        "in the idiom 0-10", "in flight 10-100 of 0", "in the idiom 100-102", "in flight 102-190 of 2",
      ])
  }

  @Test func `a trace reports costly recording and failures`() {
    let dear = TracedPost(contender: "dear", trace: post([], end: (0, 12)), plain: [100], recorded: [137])
    let well = TracedPost(contender: "well", trace: post([], end: (0, 12)), plain: [100], recorded: [104])
    let text = TraceReport(
      scenario: "s", posts: [dear, well], faults: [("broken", "it hangs")], environment: EnvironmentRecord()
    ).document(["Here."]).text(usesColour: false, width: 80)
    #expect(text.contains("Recording makes these posts longer by more than 5 %: dear 37 %. Their"))
    #expect(text.contains("broken"))
    #expect(text.contains("it hangs"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
  }
}
