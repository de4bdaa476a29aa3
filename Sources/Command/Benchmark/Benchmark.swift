import Benchmarking
import Harness

/// A benchmark as package-benchmark spells it, measured by this package's engine.
///
///     let benchmarks: @Sendable () -> Void = {
///       Benchmark("encode") { benchmark in
///         for _ in benchmark.scaledIterations { blackHole(encode(order)) }
///       }
///     }
///
/// Making one registers it. Code that is new is better off with `Benchmarking`, which checks results and refuses empty bodies.
public final class Benchmark {
  /// What is done before a benchmark is measured.
  public typealias BenchmarkSetupHook = () async throws -> Void
  /// What package-benchmark does after it; here the process is ended.
  public typealias BenchmarkTeardownHook = () async throws -> Void

  enum Code {
    case sync((Benchmark) throws -> Void)
    case async((Benchmark) async throws -> Void)
  }

  // Invariant of all that is static: changed while benchmarks are registered, by the only thread that there is, and read after.

  /// Those that were made, in this order.
  nonisolated(unsafe) public internal(set) static var benchmarks: [Benchmark] = []
  /// What a benchmark is configured with that says nothing else; for those that are made after it was set.
  nonisolated(unsafe) public static var defaultConfiguration = Configuration.usual
  /// Done before every benchmark.
  nonisolated(unsafe) public static var setup: BenchmarkSetupHook?
  /// Not done: processes that measure are ended.
  nonisolated(unsafe) public static var teardown: BenchmarkTeardownHook?
  /// Done before every benchmark, and before `setup`.
  nonisolated(unsafe) public static var startupHook: BenchmarkSetupHook?
  /// Not done: processes that measure are ended.
  nonisolated(unsafe) public static var shutdownHook: BenchmarkTeardownHook?

  /// What it was called, without its tags.
  public let baseName: String
  /// What it is to do differently from others.
  public let configuration: Configuration
  /// Passes of this process that came before.
  public private(set) var currentIteration = 0
  /// Why the pass has failed; nil: it has not.
  public private(set) var failureReason: String?

  let code: Code
  let setUp: BenchmarkSetupHook?
  let tearDown: BenchmarkTeardownHook?

  /// Invariant of what follows: touched by one thread at a time, because a pass hands the benchmark over if it goes on elsewhere.
  private var meter: BenchmarkMeter?
  /// Whether its passes say themselves where measuring starts; nil: no pass has ended yet.
  private var starts: Bool?
  private var hasStarted = false
  private var hasStopped = false

  private init?(
    _ name: String, _ configuration: Configuration, _ code: Code, _ setUp: BenchmarkSetupHook?,
    _ tearDown: BenchmarkTeardownHook?
  ) {
    if configuration.skip { return nil }
    (baseName, self.configuration, self.code) = (name, configuration, code)
    (self.setUp, self.tearDown) = (setUp, tearDown)
    Self.benchmarks.append(self)
  }

  /// What a pass goes over: as many as the scaling factor says. Times are per one of them.
  public var scaledIterations: Range<Int> { 0..<configuration.scalingFactor.rawValue }

  /// Its name with its tags.
  public var name: String {
    let tags = configuration.tags.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
    return tags.isEmpty ? baseName : "\(baseName) (\(tags.joined(separator: ", ")))"
  }

  /// From here on the pass is measured: what came before in it is not.
  public func startMeasurement() {
    hasStarted = true
    meter?.restart()
  }

  /// What comes now is not measured.
  public func stopMeasurement() {
    hasStopped = true
    meter?.stop()
  }

  /// Says that the pass has failed: the benchmark is not ranked.
  public func error(_ description: String) { failureReason = description }

  /// Nothing: figures of a benchmark's own are not recorded, and a run says so.
  public func measurement(_ metric: BenchmarkMetric, _ value: Int) {}

  /// The function of this name, for files in which another module has one.
  ///
  /// - Parameter value: what is to be used as far as the optimiser can tell.
  public static func blackHole(_ value: some Any) { Benchmarking.blackHole(value) }
}

/// Uses a value as far as the optimiser can tell, so that what computes it stays.
///
/// - Parameter value: is looked at and left alone.
public func blackHole(_ value: some Any) { Benchmarking.blackHole(value) }

/// A value of which the optimiser does not know where it comes from.
///
/// - Parameter value: what is returned.
@inline(never) @_optimize(none) public func identity<Value>(_ value: Value) -> Value { value }

// MARK: Making one

extension Benchmark {
  /// - Parameters:
  ///   - name: anything that no other benchmark is called; records have it in letters, digits and `-`.
  ///   - configuration: what differs from other benchmarks.
  ///   - closure: one pass. What it throws is why the benchmark is not ranked.
  ///   - setup: done once in each process, before anything is measured.
  ///   - teardown: not done: processes that measure are ended.
  @discardableResult
  public convenience init?(
    _ name: String, configuration: Configuration = Benchmark.defaultConfiguration,
    closure: @escaping (Benchmark) throws -> Void, setup: BenchmarkSetupHook? = nil,
    teardown: BenchmarkTeardownHook? = nil
  ) {
    self.init(name, configuration, .sync(closure), setup, teardown)
  }

  /// The same of an async pass.
  @discardableResult
  public convenience init?(
    _ name: String, configuration: Configuration = Benchmark.defaultConfiguration,
    closure: @escaping (Benchmark) async throws -> Void, setup: BenchmarkSetupHook? = nil,
    teardown: BenchmarkTeardownHook? = nil
  ) {
    self.init(name, configuration, .async(closure), setup, teardown)
  }

  /// The same of a pass that is given what the set-up made.
  @discardableResult
  public convenience init?<SetupResult>(
    _ name: String, configuration: Configuration = Benchmark.defaultConfiguration,
    closure: @escaping (Benchmark, SetupResult) throws -> Void,
    setup: @escaping () async throws -> SetupResult, teardown: BenchmarkTeardownHook? = nil
  ) {
    var result: SetupResult?
    self.init(
      name, configuration, .sync { try closure($0, result!) }, { result = try await setup() }, teardown)
  }

  /// The same of an async pass that is given what the set-up made.
  @discardableResult
  public convenience init?<SetupResult>(
    _ name: String, configuration: Configuration = Benchmark.defaultConfiguration,
    closure: @escaping (Benchmark, SetupResult) async throws -> Void,
    setup: @escaping () async throws -> SetupResult, teardown: BenchmarkTeardownHook? = nil
  ) {
    var result: SetupResult?
    self.init(
      name, configuration, .async { try await closure($0, result!) }, { result = try await setup() }, teardown
    )
  }
}

// MARK: Measuring it

extension Benchmark {
  /// Its set-ups, once; then samples. Nothing is torn down: processes are ended, and a set-up may not work a second time.
  var body: BenchmarkBody {
    get throws {
      let setUps = [Self.startupHook, Self.setup, configuration.setup, setUp].compactMap(\.self)
      if !setUps.isEmpty { try finishSetUp { for hook in setUps { try await hook() } } }
      return BenchmarkBody { [self] iterations, meter in
        try perform(iterations, meter)
        return nil
      }
    }
  }

  /// Settings that are not followed, as they are spelled.
  var unfollowed: [String] {
    let tearDowns = [tearDown, configuration.teardown, Self.shutdownHook, Self.teardown]
    return configuration.unfollowed + (tearDowns.contains { $0 != nil } ? ["teardown"] : [])
  }

  private func perform(_ iterations: Int, _ meter: BenchmarkMeter) throws {
    self.meter = meter
    defer { self.meter = nil }
    var done = 0
    switch code {
    case .sync(let code):
      repeat {
        begin(meter)
        try code(self)
        try end(meter)
        done += 1
      } while done < iterations && !isLate(meter)
    case .async(let code):
      done = try finish { [self] in
        var done = 0
        repeat {
          begin(meter)
          try await code(self)
          try end(meter)
          done += 1
        } while done < iterations && !isLate(meter)
        return done
      }
    }
    meter.stop()
    meter.iterations = done
  }

  /// Whoever starts and stops may leave out far more than is measured.
  private func isLate(_ meter: BenchmarkMeter) -> Bool { starts == true && meter.isLate }

  private func begin(_ meter: BenchmarkMeter) {
    (hasStarted, hasStopped, failureReason) = (false, false, nil)
    // Of those that leave nothing out, a sample is measured in one piece.
    if starts != true { meter.start() }
  }

  private func end(_ meter: BenchmarkMeter) throws {
    if hasStarted || hasStopped { meter.stop() }
    if let failureReason { throw SuiteProblem(description: failureReason) }
    // The first pass has shown what to expect: whether what is measured begins with the next, or within it.
    guard starts ?? hasStarted == hasStarted else {
      throw SuiteProblem(description: "calls startMeasurement() in some passes and not in others")
    }
    starts = hasStarted
    currentIteration += 1
  }
}
