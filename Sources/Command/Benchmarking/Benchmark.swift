import FanoutCommand
import CProbes
import Harness
import Results

/// A piece of code to measure.
///
///     Benchmark("encode") { try encoder.encode(order) }
///     Benchmark("sum", expecting: 499_500) { (0..<1_000).reduce(0, +) }
///     Benchmark("fetch", setUp: { try await Server() }) { server in try await server.get() }
///     Benchmark("sort", eachTime: { shuffled }) { numbers in numbers.sort() }
///
/// Each benchmark has its own process. Sync code runs on a thread that it may block, async code on the cooperative pool. A sample has as
/// many iterations as take some milliseconds. The optimiser cannot remove results, and the last result is checked.
public struct Benchmark {
  var name: String
  let implementation: String
  var throughput: Throughput
  let threads: Int
  let processors: Int?
  var problem: String?
  let makeBody: () throws -> BenchmarkBody

  private static let mostThreads = 1_000

  /// The items or bytes that one iteration processes. Reports show the time per item, or bytes per second.
  public struct Throughput: Sendable, Hashable {
    let items: Int
    let unit: String
    let bytes: Int

    /// The number of items that one iteration processes, at least 1, and the noun for one item, such as `row`.
    public static func items(_ count: Int, _ unit: String = "item") -> Throughput {
      Throughput(items: count, unit: unit, bytes: 0)
    }

    /// The number of bytes that one iteration processes.
    public static func bytes(_ count: Int) -> Throughput {
      Throughput(items: 1, unit: "iteration", bytes: count)
    }

    static let iteration = Throughput(items: 1, unit: "iteration", bytes: 0)

    func problem(of name: String) -> String? {
      let most = 1_000_000_000
      if !(1...most).contains(items) || !(0...most * most).contains(bytes) {
        return
          "the throughput of “\(name)” is \(bytes == 0 ? items : bytes): give 1 to \(most) items, or 0 bytes or more."
      }
      return (1...40).contains(unit.count) && SafeText.visible(unit) == unit
        ? nil
        : "the items of “\(name)” are called “\(SafeText.excerpt(unit))”: give a unit of 1 to 40 characters on one line."
    }
  }

  private init<Fixture, Input, Output>(
    _ name: String, _ implementation: String, _ throughput: Throughput?, _ threads: Int, _ processors: Int?,
    _ isExpected: ((Output) -> Bool)?,
    _ actor: (any Actor)?, _ setUp: (() async throws -> Fixture)?,
    makeInput: @escaping (Fixture) throws -> Input, isMadeEachTime: Bool,
    _ code: Work<Fixture, Input, Output>.Code
  ) {
    self.name = name
    self.implementation = implementation
    self.throughput = throughput ?? .iteration
    (self.threads, self.processors) = (threads, processors)
    problem =
      if setUp == nil && !(() is Fixture) {
        "the body of “\(name)” takes a parameter, but there is no `setUp:`: add one that returns the value."
      } else if !(1...Self.mostThreads).contains(threads) {
        "“\(name)” has \(threads) threads: give 1 to \(Self.mostThreads)."
      } else if let processors, processors < 1 {
        "“\(name)” has \(processors) processors: give 1 or more."
      } else if case .sync = code, threads > 1, actor === MainActor.shared {
        "“\(name)” runs on the main actor, which has one thread: make it nonisolated or async, or leave out `threads:`."
      } else {
        nil as String?
      }
    makeBody = {
      try Work(
        actor: actor, isExpected: isExpected, setUp: setUp ?? { () as! Fixture }, makeInput: makeInput,
        isMadeEachTime: isMadeEachTime, threads: threads, code: code
      ).body
    }
  }
}

// MARK: Code without input, or with a fixture

extension Benchmark {
  /// Measures `body`.
  ///
  /// - Parameters:
  ///   - name: a letter or digit, then at most 99 letters, digits, `-`, `_`, `.`, `:`, `=`, `+` or `/`, all ASCII.
  ///   - implementation: distinguishes benchmarks with the same name. Reports compare each one with the first.
  ///   - throughput: the items or bytes that one iteration processes.
  ///   - threads: how many threads, or tasks of async code, run the body concurrently. In one iteration, each of them calls the body once.
  ///     Values that they share must be thread-safe.
  ///   - processors: the number of processors for the process. `nil` means all. `check` ignores this number and chooses its own.
  ///   - isExpected: whether a result is right. A benchmark with a wrong result is not ranked.
  ///   - actor: the actor that isolates the code. Code of the main actor runs on the main thread.
  ///   - setUp: makes the fixture, which is the body's argument. It runs once in each process, before any measurement.
  ///   - body: the code to measure. If it throws, the benchmark is not ranked, and the report shows the error.
  public init<Fixture, Output>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting isExpected: ((Output) -> Bool)? = nil,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil,
    body: @escaping (Fixture) throws -> Output
  ) {
    self.init(
      name, implementation, throughput, threads, processors, isExpected, actor, setUp, makeInput: { _ in },
      isMadeEachTime: false,
      .sync { fixture, _ in try body(fixture) })
  }

  /// Measures async code.
  public init<Fixture, Output>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting isExpected: ((Output) -> Bool)? = nil,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil,
    body: nonisolated(nonsending) @escaping (Fixture) async throws -> Output
  ) {
    self.init(
      name, implementation, throughput, threads, processors, isExpected, actor, setUp, makeInput: { _ in },
      isMadeEachTime: false,
      .async { fixture, _ in try await body(fixture) })
  }

  /// Measures `body` and compares its result with the expected value.
  public init<Fixture, Output: Equatable>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting expected: Output,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil,
    body: @escaping (Fixture) throws -> Output
  ) {
    self.init(
      name, by: implementation, throughput: throughput, threads: threads, processors: processors,
      expecting: { $0 == expected },
      isolation: actor, setUp: setUp, body: body)
  }

  /// Measures async code and compares its result with the expected value.
  public init<Fixture, Output: Equatable>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting expected: Output,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil,
    body: nonisolated(nonsending) @escaping (Fixture) async throws -> Output
  ) {
    self.init(
      name, by: implementation, throughput: throughput, threads: threads, processors: processors,
      expecting: { $0 == expected },
      isolation: actor, setUp: setUp, body: body)
  }

  /// The implementation's name in reports if a benchmark gives none with `by:`.
  public static var usualImplementation: String { BenchmarkTable.usualImplementer }
}

// MARK: Code that uses up its input

extension Benchmark {
  /// Measures a `body` that may change its input. `eachTime` makes one input for each iteration. Up to 64 inputs are made in advance.
  ///
  /// The measured time includes neither making nor releasing inputs. `setUp` makes the argument of `eachTime`, once in each process.
  public init<Fixture, Input, Output>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting isExpected: ((Output) -> Bool)? = nil,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil, eachTime: @escaping (Fixture) throws -> Input,
    body: @escaping (inout Input) throws -> Output
  ) {
    self.init(
      name, implementation, throughput, threads, processors, isExpected, actor, setUp, makeInput: eachTime,
      isMadeEachTime: true,
      .sync { _, input in try body(&input) })
  }

  /// Measures async code that may change its input.
  public init<Fixture, Input, Output>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting isExpected: ((Output) -> Bool)? = nil,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil, eachTime: @escaping (Fixture) throws -> Input,
    body: nonisolated(nonsending) @escaping (inout Input) async throws -> Output
  ) {
    self.init(
      name, implementation, throughput, threads, processors, isExpected, actor, setUp, makeInput: eachTime,
      isMadeEachTime: true,
      .async { _, input in try await body(&input) })
  }

  /// Measures a `body` that may change its input, and compares its result with the expected value.
  public init<Fixture, Input, Output: Equatable>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting expected: Output,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil, eachTime: @escaping (Fixture) throws -> Input,
    body: @escaping (inout Input) throws -> Output
  ) {
    self.init(
      name, by: implementation, throughput: throughput, threads: threads, processors: processors,
      expecting: { $0 == expected },
      isolation: actor, setUp: setUp, eachTime: eachTime, body: body)
  }

  /// Measures async code that may change its input, and compares its result with the expected value.
  public init<Fixture, Input, Output: Equatable>(
    _ name: String, by implementation: String = usualImplementation, throughput: Throughput? = nil,
    threads: Int = 1, processors: Int? = nil, expecting expected: Output,
    isolation actor: (any Actor)? = #isolation,
    setUp: (() async throws -> Fixture)? = nil, eachTime: @escaping (Fixture) throws -> Input,
    body: nonisolated(nonsending) @escaping (inout Input) async throws -> Output
  ) {
    self.init(
      name, by: implementation, throughput: throughput, threads: threads, processors: processors,
      expecting: { $0 == expected },
      isolation: actor, setUp: setUp, eachTime: eachTime, body: body)
  }
}

// MARK: Sizes

extension Benchmark {
  /// Benchmarks for each size, named `name-size`. The report has a row for each size, and shows how the time grows with the size.
  ///
  ///     Benchmark.sizes([1, 10, 100, 1_000]) { count in
  ///       Benchmark("sort", eachTime: { shuffled(count) }) { $0.sort() }
  ///     }
  ///
  /// The sizes must be distinct and at least 1. A benchmark of size 10 counts as processing 10 items.
  public static func sizes(
    _ sizes: [Int], @BenchmarkBuilder _ benchmarks: (_ size: Int) throws -> [Benchmark]
  ) rethrows -> [Benchmark] {
    try sizes.flatMap { size in
      try benchmarks(size).map { benchmark in
        let given = benchmark.throughput
        var sized = benchmark
        sized.name += "-\(size)"
        sized.throughput = Throughput(
          items: size, unit: given == .iteration ? "item" : given.unit, bytes: given.bytes)
        if sizes.count(where: { $0 == size }) > 1 {
          sized.problem = "`sizes` of “\(benchmark.name)” contains \(size) twice: give each size once."
        } else if !(1...1_000_000_000).contains(size) {
          sized.problem = "a size of “\(benchmark.name)” is \(size): give sizes from 1 to 1000000000."
        } else if given.items != 1, given.items != size {
          sized.problem =
            "“\(benchmark.name)” gives \(given.items) items as `throughput:` at size \(size): give \(size), or leave it out."
        }
        return sized
      }
    }
  }
}

/// Keeps the optimiser from removing the code that computes `value`. Results of a benchmark's body need no such call.
@inline(never)
public func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { machine_look_at($0) }
}
