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
/// `swift run -c release NAME` measures the benchmarks. `--help` lists the other commands, such as `check --against HEAD~1`.
/// Worker processes run the same executable again, so `benchmarks` must return the same list in each process.
public protocol BenchmarkSuite {
  /// Creates the suite, once in each process.
  init()

  /// The benchmarks in the order in which reports show them. Loops and conditions are allowed.
  @BenchmarkBuilder var benchmarks: [Benchmark] { get }
}

extension BenchmarkSuite {
  /// Runs the command that the process's arguments specify, and ends the process with the command's exit code.
  public static func main() {
    Bench.main { try BenchmarkTable(Self().benchmarks) }
  }
}

/// Builds a suite's list of benchmarks from statements, which may contain loops and conditions.
@resultBuilder public enum BenchmarkBuilder {
  /// One benchmark.
  public static func buildExpression(_ benchmark: Benchmark) -> [Benchmark] { [benchmark] }
  /// Several benchmarks, such as those of ``Benchmark/sizes(_:_:)``.
  public static func buildExpression(_ benchmarks: [Benchmark]) -> [Benchmark] { benchmarks }
  /// Joins the benchmarks of several statements, in order.
  public static func buildBlock(_ parts: [Benchmark]...) -> [Benchmark] { parts.flatMap(\.self) }
  /// Joins the benchmarks of a loop's iterations.
  public static func buildArray(_ parts: [[Benchmark]]) -> [Benchmark] { parts.flatMap(\.self) }
  /// Adds the benchmarks of an `if` without `else`.
  public static func buildOptional(_ part: [Benchmark]?) -> [Benchmark] { part ?? [] }
  /// Adds the benchmarks of a condition's first branch.
  public static func buildEither(first part: [Benchmark]) -> [Benchmark] { part }
  /// Adds the benchmarks of a condition's other branch.
  public static func buildEither(second part: [Benchmark]) -> [Benchmark] { part }
  /// Adds the benchmarks under `if #available`.
  public static func buildLimitedAvailability(_ part: [Benchmark]) -> [Benchmark] { part }
}

/// The reason why a suite or one of its benchmarks cannot be measured, with advice for the user.
package struct SuiteProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension BenchmarkTable {
  init(_ benchmarks: [Benchmark]) throws {
    if benchmarks.isEmpty { throw SuiteProblem("this suite has no benchmarks: list one in `benchmarks`.") }
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
          "the benchmarks called “\(benchmark.name)” have different throughputs: give all the same `throughput:`."
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
            // Invariant: only the worker thread that takes samples calls this, and only once. Nothing else uses its captured values.
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
      // The sizes of one benchmark form one series in the report.
      group: benchmark.name.hasSuffix(size) ? String(benchmark.name.dropLast(size.count)) : benchmark.name,
      unit: benchmark.throughput.unit, units: benchmark.throughput.items, bytes: benchmark.throughput.bytes)
  }
}
