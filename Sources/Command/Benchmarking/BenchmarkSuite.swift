import FanoutCommand
import Foundation
import Harness
import Results

/// An executable that measures its benchmarks, records runs, and checks them against other builds.
///
///     import Benchmarking
///
///     @main struct Benchmarks: BenchmarkSuite {
///       var benchmarks: [Benchmark] {
///         Benchmark("encode") { try encoder.encode(order) }
///       }
///     }
///
/// `swift run -c release NAME` measures them; `--help` lists what else it can do, such as `check --against HEAD~1`.
/// Processes that measure are the same executable, started again: a suite's benchmarks are the same in each of them.
public protocol BenchmarkSuite {
  init()

  /// In the order in which reports show them; loops and conditions may stand among them.
  @BenchmarkBuilder var benchmarks: [Benchmark] { get }
}

extension BenchmarkSuite {
  /// Does what the process was told on its command line, and ends it with the right exit code.
  public static func main() {
    Bench.main { try BenchmarkTable(Self().benchmarks) }
  }
}

/// Benchmarks one after another.
@resultBuilder public enum BenchmarkBuilder {
  public static func buildExpression(_ benchmark: Benchmark) -> [Benchmark] { [benchmark] }
  public static func buildExpression(_ benchmarks: [Benchmark]) -> [Benchmark] { benchmarks }
  public static func buildBlock(_ parts: [Benchmark]...) -> [Benchmark] { parts.flatMap(\.self) }
  public static func buildArray(_ parts: [[Benchmark]]) -> [Benchmark] { parts.flatMap(\.self) }
  public static func buildOptional(_ part: [Benchmark]?) -> [Benchmark] { part ?? [] }
  public static func buildEither(first part: [Benchmark]) -> [Benchmark] { part }
  public static func buildEither(second part: [Benchmark]) -> [Benchmark] { part }
  public static func buildLimitedAvailability(_ part: [Benchmark]) -> [Benchmark] { part }
}

/// Why a suite, or a benchmark of it, cannot be measured: which, and what to do.
package struct SuiteProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension BenchmarkTable {
  /// - Throws: `SuiteProblem`.
  init(_ benchmarks: [Benchmark]) throws {
    if benchmarks.isEmpty { throw SuiteProblem("this suite has no benchmarks: there is nothing to measure.") }
    var cases: [BenchmarkCase] = []
    for (index, benchmark) in benchmarks.enumerated() {
      if let problem = benchmark.problem ?? benchmark.throughput.problem(of: benchmark.name) {
        throw SuiteProblem(problem)
      }
      for name in [benchmark.name, benchmark.implementation] {
        do throws(FieldProblem) { try RecordName.check(name) } catch {
          throw SuiteProblem("a benchmark's name \(error.description).")
        }
      }
      let namesakes = benchmarks[..<index].filter { $0.name == benchmark.name }
      if namesakes.contains(where: { $0.implementation == benchmark.implementation }) {
        throw SuiteProblem(
          "two benchmarks are called “\(benchmark.name)”: rename one, or name each one's implementation with `by:`."
        )
      }
      let work = BenchmarkCase(benchmark)
      if namesakes.isEmpty { cases.append(work) }
      guard cases.contains(work) else {
        throw SuiteProblem(
          "the benchmarks called “\(benchmark.name)” do not get through the same each time: give both the same `throughput:`."
        )
      }
    }
    let all = ProcessInfo.processInfo.activeProcessorCount
    let crowded = benchmarks.filter { $0.threads > $0.processors ?? all }
    self.init(
      noun: "benchmark", cases: cases,
      implementers: benchmarks.map(\.implementation).unique().map { name in
        let own = benchmarks.filter { $0.implementation == name }
        return Implementer(
          name: name,
          bodies: own.keyed { benchmark in
            // Invariant: called once in a process, by the thread that serves samples; nothing else touches what it has captured.
            nonisolated(unsafe) let makeBody = benchmark.makeBody
            return (benchmark.name, { try makeBody() })
          },
          processors: own.filter { $0.processors != nil }.keyed { ($0.name, $0.processors!) })
      },
      firsts: benchmarks.keyed { ($0.name, $0.implementation) },
      crowds: Dictionary(crowded.map { ($0.name, $0.threads) }, uniquingKeysWith: max))
  }
}

extension BenchmarkCase {
  init(_ benchmark: Benchmark) {
    let size = "-\(benchmark.throughput.items)"
    self.init(
      name: benchmark.name,
      // What grows is one series.
      group: benchmark.name.hasSuffix(size) ? String(benchmark.name.dropLast(size.count)) : benchmark.name,
      unit: benchmark.throughput.unit, units: benchmark.throughput.items, bytes: benchmark.throughput.bytes)
  }
}
