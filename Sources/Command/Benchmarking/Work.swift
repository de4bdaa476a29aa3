import Dispatch
import Foundation
import Harness
import RawThreads
import Synchronization

/// A benchmark's parts: the set-up, the maker of inputs, and the code to measure.
struct Work<Fixture, Input, Output> {
  /// Runs on the actor that calls it.
  typealias AsyncCode = nonisolated(nonsending) (Fixture, inout Input) async throws -> Output

  enum Code {
    case sync((Fixture, inout Input) throws -> Output)
    case async(AsyncCode)
  }

  /// The actor that the code is isolated to; code of the main actor runs on the main thread.
  let actor: (any Actor)?
  var isExpected: ((Output) -> Bool)?
  let setUp: () async throws -> Fixture
  let makeInput: (Fixture) throws -> Input
  let isMadeEachTime: Bool
  var threads: Int
  var code: Code

  /// Runs the set-up: this thread waits for it.
  var body: BenchmarkBody {
    get throws {
      let fixture: Fixture
      do { fixture = try finish(setUp) } catch {
        throw SuiteProblem("its set-up ended with an error: \(error)")
      }
      // As many turns of one thread take as long as all threads on all processors.
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
    return "returned \(wrong.0), which is not what is expected"
  }

  /// A batch on each thread, all at once. All have ended before the error of one is thrown.
  private func batches(_ fixture: Fixture, _ most: Int, _ meter: BenchmarkMeter) throws -> [(
    Output, count: Int
  )] {
    let line = StartLine(threads, meter)
    let ends =
      switch code {
      case .sync(let code) where threads == 1:
        [{ try onItsThread { try batch(fixture, most, line, code) } }]
      case .sync(let code):
        (0..<threads).map { _ in begin { try batch(fixture, most, line, code) } }
      case .async(let code):
        (0..<threads).map { _ in begin(on: actor) { try await batch(fixture, most, line, code) } }
      }
    return try ends.map { end in Result { try end() } }.map { try $0.get() }
  }

  /// The same work with its result computed in advance: what remains is the time that returning it takes.
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

  /// Measures at most `most` iterations in one go. The compiler specialises for neither the code nor the types.
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

  /// Runs work on the main thread if its actor is the main actor. Must not be called on the main thread.
  private func onItsThread<Value>(_ work: () throws -> Value) rethrows -> Value {
    guard let actor, actor === MainActor.shared else { return try work() }
    // Invariant: this thread waits until the main thread has run it.
    nonisolated(unsafe) let work = work
    return try DispatchQueue.main.sync { try work() }
  }

  /// Inputs of the next iterations, from 1 to 64: it stops early when the sample is late. Several threads have equally many.
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

/// Waits for async work that starts on the pool. The calling thread must not be one of the pool's.
private func finish<Value>(_ work: nonisolated(nonsending) @escaping () async throws -> Value) throws -> Value
{
  try begin(work)()
}

/// Starts async work on the actor or the pool; the result, to be called once, waits for its end.
private func begin<Value>(
  on actor: (any Actor)? = nil, _ work: nonisolated(nonsending) @escaping () async throws -> Value
) -> () throws -> Value {
  // Invariant: nothing reads the result before the task has ended. Work that runs several times at once must be thread-safe.
  nonisolated(unsafe) let work = work
  nonisolated(unsafe) var result: Result<Value, any Error>?
  let ended = DispatchSemaphore(value: 0)
  let run: @Sendable (isolated (any Actor)?) async -> Void = { _ in
    // Without a statement of its own here the compiler (6.3) leaves out the hop to the actor, and `work` makes none.
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

/// The same for sync work, on a new thread.
private func begin<Value>(_ work: @escaping () throws -> Value) -> () throws -> Value {
  // Invariant: as above.
  nonisolated(unsafe) let work = work
  nonisolated(unsafe) var result: Result<Value, any Error>?
  let thread = RawThread(name: "benchmark") { result = Result { try work() } }
  return {
    thread.join()
    return try result!.get()
  }
}

/// A barrier: threads or tasks start together, and are measured until the last has ended.
final class StartLine: Sendable {
  private let count: Int
  private let meter: BenchmarkMeter
  private let state = Mutex((waiting: [@Sendable () -> Void](), ended: 0))

  init(_ count: Int, _ meter: BenchmarkMeter) { (self.count, self.meter) = (count, meter) }

  /// Whether a single thread should end its sample.
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

  /// Lets the others start without it.
  func leave() {
    arrive {}
    stop()
  }

  /// The last to arrive starts the clock, then releases all.
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
