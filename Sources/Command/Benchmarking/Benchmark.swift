import FanoutCommand
import CProbes
import Harness
import Results

/// A piece of code that is measured again and again.
///
///     Benchmark("encode") { try encoder.encode(order) }
///     Benchmark("sum", expecting: 499_500) { (0..<1_000).reduce(0, +) }
///     Benchmark("fetch", setUp: { try await Server() }) { server in try await server.get() }
///     Benchmark("sort", eachTime: { shuffled }) { numbers in numbers.sort() }
///
/// Each benchmark is done in a process of its own, on a thread that it may block; async ones on the cooperative pool. What
/// it returns is kept from the optimiser. A sample is as many iterations as take some milliseconds, and its last result is
/// held against what is expected, if anything is.
public struct Benchmark {
  var name: String
  let implementation: String
  var throughput: Throughput
  let threads: Int
  let processors: Int?
  /// Why it cannot be measured; nil: it can.
  var problem: String?
  let makeBody: () throws -> BenchmarkBody

  private static let mostThreads = 1_000

  /// What one iteration gets through: times are per item, and rates are shown of bytes.
  public struct Throughput: Sendable, Hashable {
    let items: Int
    let unit: String
    let bytes: Int

    /// - Parameters:
    ///   - count: how many of them one iteration has, from 1.
    ///   - unit: what one of them is called, in the singular.
    public static func items(_ count: Int, _ unit: String = "item") -> Throughput {
      Throughput(items: count, unit: unit, bytes: 0)
    }

    public static func bytes(_ count: Int) -> Throughput {
      Throughput(items: 1, unit: "iteration", bytes: count)
    }

    static let iteration = Throughput(items: 1, unit: "iteration", bytes: 0)

    /// Why nothing can get through that; nil: it can.
    func problem(of name: String) -> String? {
      let most = 1_000_000_000
      if !(1...most).contains(items) || !(0...most * most).contains(bytes) {
        return
          "the throughput of “\(name)” is \(bytes == 0 ? items : bytes): items are 1 to a thousand million, bytes at least 0."
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
        "the body of “\(name)” takes a value that nothing makes: make it in `setUp:`."
      } else if !(1...Self.mostThreads).contains(threads) {
        "“\(name)” is to be done by \(threads) threads: give 1 to \(Self.mostThreads)."
      } else if case .sync = code, threads > 1, actor === MainActor.shared {
        "“\(name)” is the main actor's, which has one thread: make it nonisolated, or async, or leave out `threads:`."
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

// MARK: Code that is given nothing, or what is set up once

extension Benchmark {
  /// - Parameters:
  ///   - name: a letter or digit, then at most 99 letters, digits, `-`, `_`, `.`, `:`, `=`, `+` or `/`, all ASCII.
  ///   - implementation: whose way to do it this is, where several share the name: they are compared, with the first.
  ///   - throughput: what one iteration gets through.
  ///   - threads: how many threads, or tasks of async code, do it at once, released together: an iteration is one of each. What
  ///     they share must be safe for that.
  ///   - processors: on how many its process runs; nil: on all. In `check` on those that the check chooses.
  ///   - isExpected: whether a result is right; a benchmark with a wrong one is not ranked.
  ///   - actor: whose the code is; what is the main actor's is done on the main thread.
  ///   - setUp: makes what the body is given, if anything; once in each process, before anything is measured.
  ///   - body: what is measured. It may throw: then it is not ranked, and its error is shown.
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

  /// The same of async code.
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

  /// The same with the only result that is right.
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

  /// The same of async code with the only result that is right.
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

  /// What an implementation is called where there is one.
  public static var usualImplementation: String { BenchmarkTable.usualImplementer }
}

// MARK: Code that uses something up each time

extension Benchmark {
  /// - Parameters:
  ///   - setUp: makes what `eachTime` is given, if anything; once in each process.
  ///   - eachTime: makes what the body is given, for every iteration; it is not measured, and neither is the end of what it
  ///     made. Up to 64 are made ahead.
  ///   - body: what is measured; it may change what it is given.
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

  /// The same of async code.
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

  /// The same with the only result that is right.
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

  /// The same of async code with the only result that is right.
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
  /// Benchmarks of each size, called `name-size`: a row each, per item, and how time grows with the size.
  ///
  ///     Benchmark.sizes([1, 10, 100, 1_000]) { count in
  ///       Benchmark("sort", eachTime: { shuffled(count) }) { $0.sort() }
  ///     }
  ///
  /// - Parameter sizes: from 1, each once; the throughput is as many items.
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
          sized.problem = "the sizes of “\(benchmark.name)” have \(size) twice: give each once."
        } else if !(1...1_000_000_000).contains(size) {
          sized.problem = "a size of “\(benchmark.name)” is \(size): sizes are 1 to a thousand million."
        } else if given.items != 1, given.items != size {
          sized.problem =
            "“\(benchmark.name)” has \(given.items) items at size \(size): its size is its throughput."
        }
        return sized
      }
    }
  }
}

/// Uses a value as far as the optimiser can tell, so that what computes it stays.
///
/// What a body returns is used already: for what it does not return.
@inline(never)
public func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { machine_look_at($0) }
}
