import Foundation
import Results
import TestSupport
import Testing

@testable import Benchmarking
@testable import FanoutCommand
@testable import Harness

private struct Several: BenchmarkSuite {
  var isLarge = true
  var benchmarks: [Benchmark] {
    Benchmark("first") { 1 }
    for count in [10, 1_000] { Benchmark("rows-\(count)", throughput: .items(count, "row")) { count } }
    if isLarge { Benchmark("large", throughput: .bytes(4_096)) { 2 } } else { Benchmark("small") { 3 } }
    Benchmark("sort") { 4 }
    Benchmark("sort", by: "radix") { 5 }
  }
}

@Suite(.ownThread) struct BenchmarkSuiteTests {
  private func problem(_ benchmarks: [Benchmark]) -> String? {
    #expect(throws: SuiteProblem.self) { try BenchmarkTable(benchmarks) }?.description
  }

  @Test func `a suite may use loops and conditions`() throws {
    let table = try BenchmarkTable(Several().benchmarks)
    #expect(table.cases.map(\.name) == ["first", "rows-10", "rows-1000", "large", "sort"])
    #expect(try BenchmarkTable(Several(isLarge: false).benchmarks).cases[3].name == "small")
  }

  @Test func `benchmarks of growing size form a series per unit`() throws {
    let rows = try BenchmarkTable(Several().benchmarks).cases[2]
    #expect((rows.group, rows.unit, rows.units) == ("rows", "row", 1_000))
    #expect(rows.fanOut == 1_000)
  }

  @Test func `benchmarks of one name are compared with the unlabelled one`() throws {
    let table = try BenchmarkTable(Several().benchmarks)
    #expect(table.implementers.map(\.name) == ["suite", "radix"])
    let options = try BenchmarksOptions([], known: table, AliasTable(), .runBenchmarks)
    #expect(options.participants["sort"] == ["suite", "radix"])
    #expect(options.participants["first"] == ["suite"])
    let few = try BenchmarksOptions(["--benchmarks", "rows-*"], known: table, AliasTable(), .runBenchmarks)
    #expect(few.cases.map(\.name) == ["rows-10", "rows-1000"])
  }

  @Test func `each name has the first of its implementations as reference, or the named one`() throws {
    let names = [("a", "gcd"), ("a", "tasks"), ("b", "mutex"), ("b", "tasks"), ("c", "lazy"), ("c", "gcd")]
    let table = try BenchmarkTable(names.map { name, maker in Benchmark(name, by: maker) {} })
    func options(_ arguments: String...) throws -> BenchmarksOptions {
      try BenchmarksOptions(arguments, known: table, AliasTable(), .runBenchmarks)
    }
    #expect(try options().references == ["a": "gcd", "b": "mutex", "c": "lazy"])
    #expect(try options("--benchmarks", "b").reference == "mutex")
    let named = try options("--reference", "tasks")
    #expect(named.references == ["a": "tasks", "b": "tasks", "c": "lazy"])
    #expect(named.participants["b"] == ["tasks", "mutex"])
    let few = try options("--contenders", "tasks")
    #expect(few.participants == ["a": ["gcd", "tasks"], "b": ["mutex", "tasks"]])
    let error = #expect(throws: UsageError.self) {
      try options("--reference", "actors", "--benchmarks", "a,b")
    }
    #expect(error?.description == "unknown reference “actors”. Known: gcd, tasks, mutex.")
  }

  @Test func `equal, invalid or missing names are refused`() {
    #expect(problem([]) == "this suite has no benchmarks: list one in `benchmarks`.")
    #expect(
      problem([Benchmark("a") {}, Benchmark("a") {}])
        == "two benchmarks are called “a”: rename one, or name each one's implementation with `by:`.")
    for name in ["", "a b", "-a", "ä", "a,b", "a*"] {
      #expect(problem([Benchmark(name) {}])?.hasPrefix("a benchmark's name is \"") == true, "\(name)")
    }
    #expect(
      problem([Benchmark("a", throughput: .items(2)) {}, Benchmark("a", by: "b") {}])
        == "the benchmarks called “a” have different throughputs: give all the same `throughput:`."
    )
  }

  @Test(
    arguments: [
      (.items(0), "is 0: give 1 to"), (.items(-5), "is -5: give 1 to"),
      (.bytes(-1), "is -1: give"),
      (.items(.max), ": give 1 to"), (.items(5, ""), "called “”: give a unit"),
      (.items(5, "a\nb"), "called “a b”: give a unit"),
    ] as [(Benchmark.Throughput, String)])
  func `an invalid throughput is refused`(throughput: Benchmark.Throughput, words: String) throws {
    #expect(problem([Benchmark("a", throughput: throughput) {}])?.contains(words) == true)
    #expect(throws: Never.self) { try BenchmarkTable([Benchmark("a", throughput: .bytes(0)) {}]) }
  }

  @Test func `a body that takes a value needs a set-up`() {
    #expect(
      problem([Benchmark("a") { (number: Int) in number }])
        == "the body of “a” takes a parameter, but there is no `setUp:`: add one that returns the value.")
  }

  @Test func `sizes are a series of rows, each of as many items`() throws {
    let benchmarks = Benchmark.sizes([1, 10, 100]) { size in
      Benchmark("a", expecting: size) { size }
      Benchmark("a", by: "b", throughput: .bytes(4 * size)) { size }
    }
    #expect(
      problem(benchmarks)
        == "the benchmarks called “a-1” have different throughputs: give all the same `throughput:`."
    )
    let table = try BenchmarkTable(Benchmark.sizes([1, 10, 100]) { size in Benchmark("a") { size } })
    #expect(table.cases.map(\.name) == ["a-1", "a-10", "a-100"])
    #expect(table.cases.map(\.group) == ["a", "a", "a"] && table.cases.map(\.units) == [1, 10, 100])
    let body = try table.body(of: table.cases[2], by: "suite")
    #expect(try body.perform(1, BenchmarkMeter(.monotonic)) == nil)
  }

  @Test(
    arguments: [
      ([1, 10, 1], 1, "`sizes` of “a” contains 1 twice: give each size once."),
      ([0], 1, "a size of “a” is 0: give sizes from 1 to 1000000000."),
      ([-1], 1, "a size of “a” is -1: give sizes from 1 to 1000000000."),
      ([7], 2, "“a” gives 2 items as `throughput:` at size 7: give 7, or leave it out."),
    ] as [([Int], Int, String)])
  func `invalid sizes are refused`(sizes: [Int], items: Int, words: String) {
    let benchmarks = Benchmark.sizes(sizes) { _ in Benchmark("a", throughput: .items(items)) {} }
    #expect(problem(benchmarks) == words)
  }

  @Test(arguments: [0, -1, 1_001]) func `an invalid number of threads is refused`(threads: Int) {
    #expect(
      problem([Benchmark("a", threads: threads) {}])
        == "“a” has \(threads) threads: give 1 to 1000.")
  }

  @Test func `sync code of the main actor has one thread`() {
    let words = problem([Benchmark("a", threads: 2, isolation: MainActor.shared) {}])
    #expect(words?.hasPrefix("“a” runs on the main actor, which has one thread") == true)
    #expect(throws: Never.self) {
      try BenchmarkTable([Benchmark("a", threads: 2, isolation: MainActor.shared) { await Task.yield() }])
    }
  }

  @Test func `a number of processors is of one implementation of a benchmark`() throws {
    let table = try BenchmarkTable([Benchmark("a", processors: 1) {}, Benchmark("a", by: "all") {}])
    let last = try #require(Placement.lastProcessor)
    #expect(try table.placement(of: table.cases[0], by: "suite") == .processors([last]))
    #expect(try table.placement(of: table.cases[0], by: "all") == .anywhere)
  }

  @Test(arguments: [0, -1]) func `an invalid number of processors is refused`(count: Int) {
    #expect(
      problem([Benchmark("a", processors: count) {}]) == "“a” has \(count) processors: give 1 or more.")
  }

  @Test func `more processors than the machine has fail the cell`() throws {
    let table = try BenchmarkTable([Benchmark("a", processors: 100_000) {}])
    let failure = #expect(throws: WorkerFailure.self) { try table.placement(of: table.cases[0], by: "suite") }
    #expect(
      failure?.description.contains(
        "the benchmark needs 100000 processors, but taskset is missing or permits only ") == true)
  }

  @Test func `more threads than processors are noted`() throws {
    let table = try BenchmarkTable([
      Benchmark("a", threads: 2, processors: 1) {}, Benchmark("a", by: "b", threads: 1_000) {},
      Benchmark("c") {},
    ])
    #expect(table.crowds == ["a": 1_000])
  }

  @Test func `every benchmark has its own process`() throws {
    #expect(try BenchmarkTable(Several().benchmarks).cases.allSatisfy(\.ownsProcess))
  }

  @Test func `a suite has no command about uploads`() throws {
    let known = ContenderList([], benchmarks: try BenchmarkTable(Several().benchmarks))
    let names = Subcommand.visible(known).map(\.name)
    #expect(names.starts(with: ["run", "list", "report", "compare", "check"]))
    #expect(!names.contains("verify") && !names.contains("load"))
    for name in names { #expect(try Subcommand.named(name, among: known).name == name) }
    #expect(throws: UsageError.self) { try Subcommand.named("verify", among: known) }
  }
}

/// Suites whose bodies affect their process.
@Suite(.ownThread(minutes: 5), .serialized) struct OddBenchmarksTests {
  static let executable = WorkerCommand.executable.deletingLastPathComponent().appendingPathComponent(
    "odd-benchmarks")

  private func outcome(_ name: String) throws -> String {
    let worker = try WorkerProcess<SampleRequest<BenchmarkCase>>(
      executable: Self.executable, arguments: ["worker", BenchmarkTable.workerOption, "suite"],
      isInterrupted: { false })
    defer { worker.stop() }
    let request = SampleRequest(scenario: BenchmarkCase(name: name, group: name), iterations: 10)
    do {
      _ = try worker.run(request, timeout: WorkerTimeout(seconds: 20, spareSeconds: 0))
      let reply = try worker.run(request, timeout: WorkerTimeout(seconds: 20, spareSeconds: 0))
      return reply.reason ?? reply.outcome.rawValue
    } catch { return error.description }
  }

  @Test(arguments: ["reads", "prints", "main-actor", "main-queue", "of-the-main-actor", "goes-away"])
  func `a body that changes its process is measured`(name: String) throws {
    #expect(try outcome(name) == "measured")
  }

  @Test func `the action's word for scenarios names a suite's benchmarks`() throws {
    func check(_ option: String) throws -> String {
      try Program.run([
        Self.executable.path, "check", "--against", "HEAD", "--allow-debug-build", option, "print",
      ]).output
    }
    let named = try check("--benchmarks")
    #expect(named.contains("prints"))
    #expect(try check("--scenario") == named)
  }

  @Test func `a body that fails or exits is reported`() throws {
    #expect(try outcome("throws") == "ended with an error: Refusal()")
    #expect(try outcome("exits") == "the worker process died: exit status 0")
  }

  #if os(Linux)
    /// An allocator that puts a mark before each block, which its `free` checks.
    private static let allocator = """
      #include <stdint.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      static char *next, *end;
      static int lock;
      void *memalign(size_t alignment, size_t size) {
        if (alignment < 16) alignment = 16;
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
        uintptr_t start = ((uintptr_t)next + 16 + alignment - 1) / alignment * alignment;
        if (!next || start + size > (uintptr_t)end) {
          next = mmap(0, size + (64 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          end = next + size + (64 << 20);
          start = ((uintptr_t)next + 16 + alignment - 1) / alignment * alignment;
        }
        next = (char *)start + size;
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
        ((uint64_t *)start)[-2] = 0xA110CA7E;
        ((uint64_t *)start)[-1] = size;
        return (void *)start;
      }
      void free(void *old) { if (old && ((uint64_t *)old)[-2] != 0xA110CA7E) abort(); }
      size_t malloc_usable_size(void *old) { return old ? ((uint64_t *)old)[-1] : 0; }
      void *malloc(size_t size) { return memalign(16, size); }
      void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
      void *realloc(void *old, size_t size) {
        void *new = malloc(size);
        free(old);
        if (old) memcpy(new, old, ((uint64_t *)old)[-1] < size ? ((uint64_t *)old)[-1] : size);
        return new;
      }
      """

    @Test(.enabled(if: !isUnderSanitizer && Program.runs(["clang", "--version"])))
    func `doctor names a preloaded library that provides malloc`() throws {
      let scratch = Scratch()
      let source = try scratch.write(Self.allocator, to: "other.c")
      let library = scratch.path("libother.so")
      let built = try Program.run(["clang", "-shared", "-fPIC", "-fno-builtin", source, "-o", library])
      try #require(built.status == 0, "\(built.output)")
      let run = try Program.run(
        [
          "LD_PRELOAD=\(library)", Self.executable.path, "doctor", "--budget", "1s", "--allow-debug-build",
          "--quiet",
        ])
      // Some of its benchmarks fail on purpose: 3, if the budget reaches them.
      #expect([0, 3, 7].contains(run.status), "\(run.output)")
      #expect(run.output.contains("libother.so provides malloc"))
    }
  #endif
}
