import Results
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct CountingPassesTests {
  private let scenarios = ["one", "two"].map { Scenario(name: $0, photos: 1) }

  private static func counted(_ request: SampleRequest<Scenario>, switches: Int = 0) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    reply.counts = Counts(allocations: request.iterations)
    reply.usage.involuntarySwitches = switches
    return reply
  }

  private func take(
    _ answer: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply
  ) -> (endings: [String: CountingPasses<Scenario>.Ending]?, launches: Int) {
    let launcher = FakeLauncher(answer: answer)
    let endings = CountingPasses<Scenario>().take(
      of: "a", scenarios, launcher: launcher.launch, isInterrupted: { false })
    return (endings, launcher.workers.count)
  }

  @Test func `a counting pass is one post, after a warm-up`() {
    var asked: [Int] = []
    let (endings, launches) = take { _, request throws(WorkerFailure) in
      #expect(request.purpose == .allocations)
      asked.append(request.iterations)
      return Self.counted(request)
    }
    let three = CountingPasses<Scenario>.Ending.counted(Array(repeating: Counts(allocations: 1), count: 3))
    #expect(endings == ["one": three, "two": three])
    #expect(asked == [4, 1, 1, 1, 4, 1, 1, 1])
    #expect(launches == 1)
  }

  @Test func `a pass with an involuntary switch is repeated`() {
    var asked = 0
    let (endings, _) = take { _, request throws(WorkerFailure) in
      asked += 1
      var reply = Self.counted(request, switches: asked % 2)
      reply.counts?.allocations = asked % 2 == 1 ? 9 : 7
      return reply
    }
    let quiet = CountingPasses<Scenario>.Ending.counted(Array(repeating: Counts(allocations: 7), count: 3))
    #expect(endings == ["one": quiet, "two": quiet])
  }

  @Test func `if every pass has a switch, all passes count`() {
    let (endings, _) = take { _, request throws(WorkerFailure) in Self.counted(request, switches: 1) }
    guard case .counted(let passes) = endings?["one"] else {
      Issue.record("not counted")
      return
    }
    #expect(passes.count == 12)
  }

  @Test func `a failed pass keeps its reason, and the next has a fresh process`() {
    let (endings, launches) = take { _, request throws(WorkerFailure) in
      if request.scenario.name == "one" { throw .died(how: "signal 11") }
      return Self.counted(request)
    }
    #expect(endings?["one"] == .failed("its worker died: signal 11"))
    #expect(endings?["two"] == .counted(Array(repeating: Counts(allocations: 1), count: 3)))
    #expect(launches == 2)
  }

  @Test func `a wrong post fails the count`() {
    let (endings, _) = take { _, request throws(WorkerFailure) in
      var reply = Self.counted(request)
      if request.iterations == 1 { reply.fail(.wrong, "two posts") }
      return reply
    }
    #expect(endings?["one"] == .failed("two posts"))
  }

  @Test func `an interrupt returns no counts`() {
    let (endings, _) = take { _, _ throws(WorkerFailure) in throw .interrupted }
    #expect(endings == nil)
  }
}
