import FanoutCommand
import Benchmarking
import Harness
import Results

/// An executable of benchmarks that are spelled as package-benchmark has them.
///
/// The plugin `BenchmarkPlugin` writes the only one that is needed. By hand:
///
///     import Benchmark
///
///     @main struct BenchmarkRunner: BenchmarkRunnerHooks {
///       static func registerBenchmarks() { benchmarks() }
///     }
public protocol BenchmarkRunnerHooks {
  /// Makes the benchmarks; called once in each process.
  static func registerBenchmarks()
}

extension BenchmarkRunnerHooks {
  /// Does what the process was told on its command line, and ends it with the right exit code.
  public static func main() {
    Bench.main {
      registerBenchmarks()
      return try BenchmarkTable(Benchmark.benchmarks)
    }
  }
}

extension BenchmarkTable {
  /// - Throws: `SuiteProblem`.
  init(_ benchmarks: [Benchmark]) throws {
    guard !benchmarks.isEmpty else {
      throw SuiteProblem(description: "no benchmark is registered: there is nothing to measure.")
    }
    var known: Set<String> = []
    if let twice = benchmarks.first(where: { !known.insert($0.name).inserted }) {
      throw SuiteProblem(
        description: "two benchmarks are called “\(twice.name)”: rename one, or tell them apart with tags.")
    }
    let names = RecordName.unique(of: benchmarks.map(\.path))
    let cases = zip(names, benchmarks).map { name, benchmark in
      BenchmarkCase(
        name: name, group: name, summary: name == benchmark.name ? "" : benchmark.name,
        units: benchmark.configuration.scalingFactor.rawValue)
    }
    let bodies = zip(names, benchmarks).map { name, benchmark in
      // Invariant: called once in a process, by the thread that serves samples; registering has ended.
      nonisolated(unsafe) let benchmark = benchmark
      return (name, { try benchmark.body } as @Sendable () throws -> BenchmarkBody)
    }
    let settings = benchmarks.flatMap(\.unfollowed).unique()
    self.init(
      noun: "benchmark", cases: cases,
      implementers: [
        Implementer(name: Self.usualImplementer, bodies: Dictionary(uniqueKeysWithValues: bodies))
      ],
      remark: settings.isEmpty
        ? nil : "of package-benchmark's configuration, not followed: \(settings.joined(separator: ", "))")
  }
}

extension Benchmark {
  /// Its name with its tags, as near to a record's as can be.
  var path: String {
    ([baseName] + configuration.tags.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }).joined(separator: "/")
  }
}

extension RecordName {
  /// Names that may stand in a record, in place of any: each is its own, and the same if it may stand there already.
  static func unique(of names: [String]) -> [String] {
    let ready = Set(names.filter { plain($0) == $0 })
    var taken: Set<String> = []
    return names.map { name in
      let plain = plain(name)
      var (found, number) = (plain, 1)
      while ready.contains(found) && found != name || !taken.insert(found).inserted {
        number += 1
        found = String(plain.prefix(mostBytes - "-\(number)".count)) + "-\(number)"
      }
      return found
    }
  }

  /// What may not stand there is a hyphen, however much of it there is, and nothing at either end.
  private static func plain(_ name: String) -> String {
    if (try? check(name)) != nil { return name }
    let words = name.split { character in
      (try? check("a\(character)")) == nil
    }
    let text = words.joined(separator: "-").drop { (try? check(String($0))) == nil }
    return text.isEmpty ? "benchmark" : String(text.prefix(mostBytes))
  }
}
