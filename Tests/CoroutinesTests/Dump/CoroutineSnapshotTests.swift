import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutineSnapshotTests {
  private func snapshot(of name: String) -> [CoroutineSnapshot] { Coroutine.live.filter { $0.name == name } }

  @Test func aSuspendedCoroutineSaysWhatItWaitsForAndWhere() async throws {
    let promise = CoPromise<Int>()
    let line = #line + 1
    let coroutine = Coroutine.start(name: "patient") { try promise.future.await() }
    let found = try #require(snapshot(of: "patient").first)
    guard case .suspended(let wait) = found.state else {
      Issue.record("it is not suspended: \(found)")
      return
    }
    #expect(wait.subject == "a future")
    #expect(wait.file == #fileID)
    #expect(wait.line == line)
    #expect(Coroutine.dump().contains("patient: waits for a future at \(#fileID):\(line)"))
    promise.complete(.success(1))
    _ = try await coroutine.value
  }

  @Test func aRunningCoroutineIsListedAndAFinishedOneIsNot() async throws {
    let seen = try await Coroutine.start(name: "runner") { Coroutine.live.filter { $0.name == "runner" } }
      .value
    #expect(seen.map(\.state) == [.running])
    #expect(snapshot(of: "runner") == [])
  }

  @Test func aCompletionThatIsAwaitedIsNamedToo() async throws {
    let line = #line + 2
    let coroutine = Coroutine.start(name: "caller") {
      try Coroutine.withContinuation(cancel: { (stop: CoContinuation<Int>) in stop.resume(returning: 1) }) {
        $0
      }
    }
    #expect(
      snapshot(of: "caller").map(\.description) == ["caller: waits for a completion at \(#fileID):\(line)"])
    coroutine.cancel()
    #expect(try await coroutine.value == 1)
  }

  @Test func theSameLinesAreCounted() async throws {
    let promise = CoPromise<Int>()
    let coroutines = (0..<3).map { _ in Coroutine.start(name: "one of three") { try promise.future.await() } }
    let lines = Coroutine.dump().split(separator: "\n").filter { $0.hasPrefix("one of three") }
    #expect(lines.map { $0.suffix(14) } == ["(3 coroutines)"])
    promise.complete(.success(1))
    for coroutine in coroutines { _ = try await coroutine.value }
  }

  /// Names and sites are read while coroutines start, suspend and end: a torn read crashes or trips a sanitizer.
  @Test func lookingWhileCoroutinesComeAndGoIsSafe() async throws {
    let passed = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<50 { for coroutine in Coroutine.live { _ = coroutine.description } }
      }
      for _ in 0..<2 {
        group.addTask {
          for number in 0..<500 {
            try await Coroutine.start(name: "passer-by \(number)") {
              try Coroutine.withContinuation(of: Void.self) { continuation in
                DispatchQueue.global().async { continuation.resume() }
              }
              passed.add()
            }.value
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(passed.current == 1_000)
    #expect(!Coroutine.live.contains { $0.name?.hasPrefix("passer-by") == true })
  }
}
