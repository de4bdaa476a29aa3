import Dispatch
import Foundation
import Harness
import RawThreads
import Synchronization

/// The parts of a benchmark: its set-up, the function that makes inputs, and the code to measure.
struct Work<Fixture, Input, Output> {
  typealias AsyncCode = nonisolated(nonsending) (Fixture, inout Input) async throws -> Output

  enum Code {
    case sync((Fixture, inout Input) throws -> Output)
    case async(AsyncCode)
  }

  /// The actor that isolates the code.
  let actor: (any Actor)?
  var isExpected: ((Output) -> Bool)?
  let setUp: () async throws -> Fixture
  let makeInput: (Fixture) throws -> Input
  let isMadeEachTime: Bool
  var threads: Int
  var code: Code

  /// Runs the benchmark's `setUp`, waits until it has ended, and returns the body to measure.
  var body: BenchmarkBody {
    get throws {
      let fixture: Fixture
      do { fixture = try finish(setUp) } catch {
        throw SuiteProblem("`setUp` threw an error: \(error)")
      }
      // Threads beyond the number of processors have to wait, so one iteration of all threads takes this many times as long.
      let turns = (threads - 1) / ProcessInfo.processInfo.activeProcessorCount + 1
      let measureIdle: BenchmarkBody.Perform = { iterations, meter in
        let fault = try idle(fixture).perform(fixture, turns * iterations, meter)
        meter.iterations = max(1, (meter.iterations ?? turns) / turns)
        return fault
      }
      return BenchmarkBody(idle: measureIdle) { try perform(fixture, $0, $1) }
    }
  }

  private func perform(_ fixture: Fixture, _ iterations: Int, _ meter: BenchmarkMeter) throws -> String? {
    var last: [(Output, count: Int)] = []
    var done = 0
    repeat {
      last = try batches(fixture, iterations - done, meter)
      done += last[0].count
    } while done < iterations && !meter.isLate
    meter.iterations = done
    guard let isExpected, let wrong = last.first(where: { last in !onItsThread { isExpected(last.0) } })
    else { return nil }
    return "returned \(wrong.0), which is not the expected result"
  }

  /// Runs up to `most` iterations on each thread concurrently. If a thread throws, waits for all others before rethrowing.
  private func batches(_ fixture: Fixture, _ most: Int, _ meter: BenchmarkMeter) throws -> [(
    Output, count: Int
  )] {
    let line = StartLine(threads, meter)
    let failures = FailureWatch()
    defer { failures.end() }
    let ends =
      switch code {
      case .sync(let code) where threads == 1:
        [{ try onItsThread { try batch(fixture, most, line, code) } }]
      case .sync(let code):
        (0..<threads).map { _ in
          begin {
            do { return try batch(fixture, most, line, code) } catch { throw failures.noted(error) }
          }
        }
      case .async(let code):
        (0..<threads).map { _ in
          begin(on: actor) {
            do { return try await batch(fixture, most, line, code) } catch { throw failures.noted(error) }
          }
        }
      }
    return try ends.map { end in Result { try end() } }.map { try $0.get() }
  }

  /// A benchmark that only returns a result computed before. Its time shows whether the optimiser has removed the real body.
  private func idle(_ fixture: Fixture) throws -> Work {
    var idle = self
    idle.isExpected = nil
    idle.threads = 1
    var input = try onItsThread { try makeInput(fixture) }
    switch code {
    case .sync(let code):
      let result = try onItsThread { try code(fixture, &input) }
      idle.code = .sync { _, _ in result }
    case .async(let code):
      let result = try finish {
        var input = input
        return try await code(fixture, &input)
      }
      idle.code = .async { _, _ in result }
    }
    return idle
  }

  /// Runs the code without a pause: once for each input, or `most` times with a shared input. Returns the last result.
  private func batch(
    _ fixture: Fixture, _ most: Int, _ line: StartLine,
    _ code: (Fixture, inout Input) throws -> Output
  ) throws -> (Output, count: Int) {
    var inputs = try inputs(fixture, most, line)
    let count = isMadeEachTime ? inputs.count : most
    let step = isMadeEachTime ? 1 : 0
    var place = 0
    line.start()
    defer { line.stop() }
    for _ in 1..<max(count, 1) {
      blackHole(try code(fixture, &inputs[place]))
      place += step
    }
    return (try code(fixture, &inputs[place]), count)
  }

  nonisolated(nonsending) private func batch(
    _ fixture: Fixture, _ most: Int, _ line: StartLine,
    _ code: AsyncCode
  ) async throws -> (Output, count: Int) {
    var inputs = try inputs(fixture, most, line)
    let count = isMadeEachTime ? inputs.count : most
    let step = isMadeEachTime ? 1 : 0
    var place = 0
    await line.startTask()
    defer { line.stop() }
    for _ in 1..<max(count, 1) {
      blackHole(try await code(fixture, &inputs[place]))
      place += step
    }
    return (try await code(fixture, &inputs[place]), count)
  }

  /// Runs `work`, on the main thread if the benchmark's actor is the main actor. Must not be called on the main thread.
  private func onItsThread<Value>(_ work: () throws -> Value) rethrows -> Value {
    guard let actor, actor === MainActor.shared else { return try work() }
    // Invariant: the calling thread waits until the main thread has run `work`.
    nonisolated(unsafe) let work = work
    return try DispatchQueue.main.sync { try work() }
  }

  /// Makes inputs for the next 1 to 64 iterations. A single thread stops early when its sample has used up its time.
  private func inputs(_ fixture: Fixture, _ most: Int, _ line: StartLine) throws -> [Input] {
    do {
      var inputs = [try makeInput(fixture)]
      while isMadeEachTime && inputs.count < min(most, 64) && !line.isLate {
        inputs.append(try makeInput(fixture))
      }
      return inputs
    } catch {
      line.leave()
      throw error
    }
  }
}

/// Runs async work on the cooperative pool and waits for its end. Must not be called on a thread of that pool.
private func finish<Value>(_ work: nonisolated(nonsending) @escaping () async throws -> Value) throws -> Value
{
  try begin(work)()
}

/// Starts async work on the actor, or on the cooperative pool if there is none. Returns a closure that waits for the end; call it once.
private func begin<Value>(
  on actor: (any Actor)? = nil, _ work: nonisolated(nonsending) @escaping () async throws -> Value
) -> () throws -> Value {
  // Invariant: nothing reads `result` before the task has ended. Work that several tasks run concurrently must be thread-safe.
  nonisolated(unsafe) let work = work
  nonisolated(unsafe) var result: Result<Value, any Error>?
  let ended = DispatchSemaphore(value: 0)
  let run: @Sendable (isolated (any Actor)?) async -> Void = { _ in
    // Swift 6.3 switches to the actor only if a statement precedes the call of `work`.
    blackHole(())
    do { result = .success(try await work()) } catch { result = .failure(error) }
    ended.signal()
  }
  Task.detached { await run(actor) }
  return {
    ended.wait()
    return try result!.get()
  }
}

/// Starts sync work on a new thread. Returns a closure that waits for the end; call it once.
private func begin<Value>(_ work: @escaping () throws -> Value) -> () throws -> Value {
  // Invariant: nothing reads `result` before the thread has ended. Work that several threads run concurrently must be thread-safe.
  nonisolated(unsafe) let work = work
  nonisolated(unsafe) var result: Result<Value, any Error>?
  let thread = RawThread(name: "benchmark") { result = Result { try work() } }
  return {
    thread.join()
    return try result!.get()
  }
}

/// Ends the process if a thread still runs five seconds after another one failed, because a thread that waits would hide the error.
private final class FailureWatch: Sendable {
  private let hasEnded = Mutex(false)

  func end() { hasEnded.withLock { $0 = true } }

  func noted(_ error: any Error) -> any Error {
    DispatchQueue.global().asyncAfter(deadline: .now() + 5) {
      if !self.hasEnded.withLock({ $0 }) {
        fatalError("a thread or task ended with an error: \(error), and another one still ran 5 s later")
      }
    }
    return error
  }
}

/// A barrier at which threads or tasks start together. The measurement ends when the last of them has ended.
final class StartLine: Sendable {
  private let count: Int
  private let meter: BenchmarkMeter
  private let state = Mutex((waiting: [@Sendable () -> Void](), ended: 0))

  init(_ count: Int, _ meter: BenchmarkMeter) { (self.count, self.meter) = (count, meter) }

  /// Whether a single thread should end its sample now. Always `false` with several threads.
  var isLate: Bool { count == 1 && meter.isLate }

  func start() {
    if count == 1 { return meter.start() }
    let parker = Parker()
    arrive { parker.unpark() }
    parker.park()
  }

  nonisolated(nonsending) func startTask() async {
    if count == 1 { return meter.start() }
    await withUnsafeContinuation { continuation in arrive { continuation.resume() } }
  }

  func stop() {
    if count == 1 { return meter.stop() }
    state.withLock {
      $0.ended += 1
      if $0.ended == count { meter.stop() }
    }
  }

  /// Counts a thread that failed as arrived and ended, so that the others can start.
  func leave() {
    arrive {}
    stop()
  }

  /// Waits at the barrier. The last thread to arrive starts the clock and then releases all threads.
  private func arrive(_ go: @escaping @Sendable () -> Void) {
    let all = state.withLock { state in
      state.waiting.append(go)
      guard state.waiting.count == count else { return [@Sendable () -> Void]() }
      meter.start()
      return state.waiting
    }
    for go in all { go() }
  }
}
