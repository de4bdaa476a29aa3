import Dispatch
import Harness

/// A benchmark's parts: what is set up once, what is made each time, and what is measured.
struct Work<Fixture, Input, Output> {
  /// Done on the actor that calls it.
  typealias AsyncCode = nonisolated(nonsending) (Fixture, inout Input) async throws -> Output

  enum Code {
    case sync((Fixture, inout Input) throws -> Output)
    case async(AsyncCode)
  }

  /// Whose the code is: what is the main actor's is done on the main thread.
  let actor: (any Actor)?
  var isExpected: ((Output) -> Bool)?
  let setUp: () async throws -> Fixture
  let makeInput: (Fixture) throws -> Input
  /// Whether every iteration has an input of its own.
  let isMadeEachTime: Bool
  var code: Code

  /// Runs the set-up, on this thread or while it waits.
  var body: BenchmarkBody {
    get throws {
      let fixture = try finishSetUp(setUp)
      return BenchmarkBody(idle: { try idle(fixture).perform(fixture, $0, $1) }) {
        try perform(fixture, $0, $1)
      }
    }
  }

  private func perform(_ fixture: Fixture, _ iterations: Int, _ meter: BenchmarkMeter) throws -> String? {
    var last: Output?
    var done = 0
    repeat {
      let most = iterations - done
      let (result, count) =
        switch code {
        case .sync(let code): try onItsThread { try batch(fixture, most, meter, code) }
        case .async(let code): try finish(on: actor) { try await batch(fixture, most, meter, code) }
        }
      last = result
      done += count
    } while done < iterations && !meter.isLate
    meter.iterations = done
    guard let isExpected, let last, !onItsThread({ isExpected(last) }) else { return nil }
    return "returned \(last), which is not what is expected"
  }

  /// What is known already in place of the work: of it nothing is left but what returning its result takes.
  private func idle(_ fixture: Fixture) throws -> Work {
    var idle = self
    idle.isExpected = nil
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

  /// Iterations that are measured in one go, at most so many: the result of the last, and how many they were. The compiler
  /// knows neither the code nor the types.
  private func batch(
    _ fixture: Fixture, _ most: Int, _ meter: BenchmarkMeter,
    _ code: (Fixture, inout Input) throws -> Output
  ) throws -> (Output, Int) {
    var inputs = try inputs(fixture, most, meter)
    let count = isMadeEachTime ? inputs.count : most
    let step = isMadeEachTime ? 1 : 0
    var place = 0
    meter.start()
    defer { meter.stop() }
    for _ in 1..<max(count, 1) {
      blackHole(try code(fixture, &inputs[place]))
      place += step
    }
    return (try code(fixture, &inputs[place]), count)
  }

  /// The same of async code.
  nonisolated(nonsending) private func batch(
    _ fixture: Fixture, _ most: Int, _ meter: BenchmarkMeter,
    _ code: AsyncCode
  ) async throws -> (Output, Int) {
    var inputs = try inputs(fixture, most, meter)
    let count = isMadeEachTime ? inputs.count : most
    let step = isMadeEachTime ? 1 : 0
    var place = 0
    meter.start()
    defer { meter.stop() }
    for _ in 1..<max(count, 1) {
      blackHole(try await code(fixture, &inputs[place]))
      place += step
    }
    return (try await code(fixture, &inputs[place]), count)
  }

  /// This thread is none of the main actor's.
  private func onItsThread<Value>(_ work: () throws -> Value) rethrows -> Value {
    guard let actor, actor === MainActor.shared else { return try work() }
    // Invariant: this thread waits meanwhile.
    nonisolated(unsafe) let work = work
    return try DispatchQueue.main.sync { try work() }
  }

  /// What the next iterations are given, at least one: as many as are made before the sample is late.
  private func inputs(_ fixture: Fixture, _ most: Int, _ meter: BenchmarkMeter) throws -> [Input] {
    var inputs = [try makeInput(fixture)]
    while isMadeEachTime && inputs.count < min(most, 64) && !meter.isLate {
      inputs.append(try makeInput(fixture))
    }
    return inputs
  }
}

/// Waits for a set-up, and says of its error what it is of.
package func finishSetUp<Value>(_ setUp: @escaping () async throws -> Value) throws -> Value {
  do { return try finish(setUp) } catch {
    throw SuiteProblem(description: "its set-up ended with an error: \(error)")
  }
}

/// Waits on this thread, which is none of the pool's, for async work that begins on the actor, or on the pool.
package func finish<Value>(
  on actor: (any Actor)? = nil, _ work: nonisolated(nonsending) @escaping () async throws -> Value
) throws -> Value {
  // Invariant: this thread does nothing until the task has ended, so nothing is touched by two at once.
  nonisolated(unsafe) let work = work
  nonisolated(unsafe) var result: Result<Value, any Error>?
  let ended = DispatchSemaphore(value: 0)
  let run: @Sendable (isolated (any Actor)?) async -> Void = { _ in
    // Without any work of its own the compiler (6.3) leaves out the change to the actor, and what it calls makes none.
    blackHole(())
    do { result = .success(try await work()) } catch { result = .failure(error) }
    ended.signal()
  }
  Task.detached { await run(actor) }
  ended.wait()
  return try result!.get()
}
