// swift-tools-version: 6.2
import PackageDescription

// The manifest is a table: a row per contender, runtime and rival, and a list of targets per folder of Sources/.

/// A contender, and what performs the same idiom's operations: its folder, its target, and the runtimes it is written in (none if
/// the toolchain ships it).
let contenders: [(folder: String, target: String, runtimes: [String])] = [
  ("Callbacks", "CallbackUploads", []),
  ("GCDGroups", "GCDGroupUploads", []),
  ("ClosureTasks", "ClosureTaskUploads", ["ClosureTasks"]),
  ("Operations", "OperationUploads", []),
  ("Futures", "FutureUploads", ["Futures"]),
  ("Coroutines", "CoroutineUploads", ["Coroutines"]),
  ("ReactiveStreams", "ReactiveStreamUploads", ["ReactiveStreams"]),
  ("SwiftConcurrency", "SwiftConcurrencyUploads", []),
  // The shapes that articles teach.
  ("Textbook", "TextbookUploads", ["Coroutines", "ReactiveStreams"]),
]

typealias Rival = (trait: String, url: String, version: Version, products: [String])

/// Other people's runtimes: a package, and the trait that fetches it. Without its trait, a rival is an empty module.
let rivals: [Rival] = [
  ("OpenCombine", "https://github.com/OpenCombine/OpenCombine", "0.14.0", ["OpenCombine"]),
  ("NIO", "https://github.com/apple/swift-nio", "2.101.2", ["NIOCore", "NIOPosix"]),
  ("AsyncAlgorithms", "https://github.com/apple/swift-async-algorithms", "1.1.4", ["AsyncAlgorithms"]),
  ("RxSwift", "https://github.com/ReactiveX/RxSwift", "6.10.2", ["RxSwift"]),
  ("PromiseKit", "https://github.com/mxcl/PromiseKit", "8.2.0", ["PromiseKit"]),
  ("SwiftCoroutine", "https://github.com/belozierov/SwiftCoroutine", "2.1.11", ["SwiftCoroutine"]),
]

/// Those that only their own traits turn on. SwiftCoroutine crashes in debug builds and hangs in release builds, now and then.
let rivalsApart = ["SwiftCoroutine"]

/// Everything else, by folder of Sources/.
let folders: [(folder: String, targets: [(target: String, dependencies: [String])])] = [
  ("Scenario", [("UploadScenario", []), ("RuntimeOperations", [])]),
  ("Threads", [("RawThreads", []), ("Timers", [])]),
  (
    "Services",
    [
      ("UploadServices", ["UploadScenario", "RawThreads", "Timers"]),
      ("URLSessionTransport", ["UploadScenario", "UploadServices"]),
    ]
  ),
  (
    // The idioms that Swift does not ship. They know nothing of uploads.
    "Runtimes",
    [
      ("CStackLocals", []),
      ("RuntimeSupport", ["CStackLocals", "Timers"]),
      ("ClosureTasks", ["CStackLocals", "RuntimeSupport"]),
      ("Futures", ["CStackLocals", "RuntimeSupport"]),
      ("CContextSwitch", ["CStackLocals"]),
      ("Coroutines", ["CContextSwitch", "RuntimeSupport", "Timers"]),
      ("CoroutinesFoundation", ["Coroutines"]),
      ("ReactiveStreams", ["RuntimeSupport"]),
    ]
  ),
  (
    "Contenders",
    [
      // The least that could do each of the runtimes' operations: what they are compared with.
      ("Reference", ["RuntimeOperations", "CContextSwitch"]),
      (
        "Registry",
        ["UploadScenario", "RuntimeOperations", "Reference"] + contenders.map(\.target)
          + rivals.map { "\($0.trait)Rival" }
      ),
    ]
  ),
  (
    "Measuring",
    [
      ("CProbes", []),
      ("Harness", ["UploadScenario", "Results", "RawThreads", "CProbes"]),
    ]
  ),
  ("Record", [("Results", [])]),
  (
    "Judging",
    [
      ("Statistics", []),
      ("Verdicts", ["Statistics", "Results"]),
      ("Exports", ["Verdicts", "Statistics", "Results"]),
    ]
  ),
  (
    "Proving",
    [
      ("CLeftovers", []),
      ("Conformance", ["UploadScenario", "RawThreads", "CLeftovers"]),
      ("CExploration", []),
      ("Exploration", ["CExploration"]),
      ("ExplorationTesting", ["Exploration"]),
      (
        "UploadExploration",
        [
          "UploadScenario", "Conformance", "Exploration", "RawThreads", "RuntimeSupport", "Coroutines",
          "ClosureTaskUploads", "CoroutineUploads", "FutureUploads", "ReactiveStreamUploads",
          "SwiftConcurrencyUploads",
        ]
      ),
    ]
  ),
  (
    "Command",
    [
      (
        "FanoutCommand",
        [
          "UploadScenario", "UploadServices", "Conformance", "Results", "Harness", "Verdicts", "Exports",
          "Statistics", "RawThreads", "RuntimeOperations",
        ]
      ),
      ("BenchEntry", ["FanoutCommand", "Exploration", "Registry", "UploadExploration", "UploadServices"]),
      ("Benchmarking", ["FanoutCommand", "Harness", "RawThreads", "Results", "CProbes"]),
    ]
  ),
]

/// Test targets: one folder per target.
let tests: [(target: String, dependencies: [String])] = [
  ("RuntimeSupportTests", ["RuntimeSupport", "Timers"]),
  ("ClosureTasksTests", ["ClosureTasks", "RuntimeSupport"]),
  ("FuturesTests", ["Futures", "RuntimeSupport"]),
  (
    "CoroutinesTests",
    [
      "ClosureTasks", "Coroutines", "CoroutinesFoundation", "CContextSwitch", "CSparseFrame", "Futures",
      "OptimizedCoroutineUse", "ReactiveStreams", "RuntimeSupport",
    ]
  ),
  ("ReactiveStreamsTests", ["ReactiveStreams", "RuntimeSupport"]),
  ("RawThreadsTests", ["RawThreads"]),
  ("UploadScenarioTests", ["UploadScenario"]),
  ("UploadServicesTests", ["UploadScenario", "UploadServices", "RawThreads"]),
  (
    "URLSessionTransportTests",
    ["Registry", "Harness", "RawThreads", "URLSessionTransport", "UploadScenario", "UploadServices"]
  ),
  ("StatisticsTests", ["Statistics"]),
  ("ResultsTests", ["Results"]),
  ("VerdictsTests", ["Verdicts", "Results", "Statistics"]),
  ("ExportsTests", ["Exports", "Verdicts", "Results"]),
  (
    "HarnessTests",
    [
      "Verdicts", "Harness", "Results", "UploadScenario", "RawThreads", "CProbes",
    ]
  ),
  ("BenchmarkingTests", ["Benchmarking", "FanoutCommand", "Harness", "odd-benchmarks"]),
  ("ConformanceTests", ["Conformance", "Registry", "UploadScenario", "RawThreads"]),
  ("OperationsTests", ["OperationUploads", "UploadScenario"]),
  ("SwiftConcurrencyTests", ["SwiftConcurrencyUploads", "UploadScenario"]),
  ("RuntimeContendersTests", ["Registry", "RuntimeOperations", "RawThreads"]),
  (
    "FanoutCommandTests",
    [
      "Verdicts", "FanoutCommand", "Conformance", "Registry", "Exports", "Harness", "Results",
      "RuntimeOperations", "UploadScenario", "cheats",
    ]
  ),
  ("ExplorationTests", ["Exploration", "ExplorationTesting"]),
  (
    "UploadExplorationTests",
    [
      "Conformance", "Coroutines", "CoroutineUploads", "Exploration", "RawThreads", "SwiftConcurrencyUploads",
      "UploadExploration", "UploadScenario",
    ]
  ),
]

/// Contenders that cheat, hang and die, in an executable of their own: what tests run and never rank.
let cheats = (
  target: "cheats", dependencies: ["FanoutCommand", "CallbackUploads", "CCheats", "UploadScenario"]
)

/// A suite of benchmarks that do to their process what others' may do: tests start it.
let oddBenchmarks = (target: "odd-benchmarks", dependencies: ["Benchmarking"])

/// What tests share, under Tests/.
let testSupport: [(target: String, dependencies: [String])] = [
  ("TestSupport", []),
  ("CTestSupport", []),
  ("CSparseFrame", []),
  ("CCheats", []),
  ("OptimizedCoroutineUse", ["Coroutines"]),
]

/// Where the optimiser is used otherwise than by default, and what that is worth.
let tunings: [(targets: [String], flag: String, configuration: BuildConfiguration)] = [
  // Code that reads options, judges what was measured, lays out and prints. Optimised, it took two fifths of a first build's processor
  // time, and a report on 11,803 samples 0.5 s instead of 0.9 s (`bench report results/reference`).
  (["FanoutCommand", "Exports", "Verdicts"], "-Onone", .release),
  // Loops that tests run millions of times: simulated runs, drawn plays, schedules, bytes that are made up. Without it the tests take
  // twice as long.
  (["Statistics", "Conformance", "Exploration", "UploadScenario", "RawThreads"], "-O", .debug),
  // What users would write: only the optimiser keeps across a switch of stacks what was read before it.
  (["OptimizedCoroutineUse"], "-O", .debug),
]

func settings(of target: String) -> [SwiftSetting] {
  tunings.filter { $0.targets.contains(target) }.map {
    .unsafeFlags([$0.flag], .when(configuration: $0.configuration))
  }
}

/// What lies beside a test target's sources and is read at run time.
let testData = ["VerdictsTests": ["Golden"], "ExportsTests": ["Golden"]]

func named(_ names: [String]) -> [Target.Dependency] { names.map { .init(stringLiteral: $0) } }

/// A rival's contender and its operations: one target, written in the rival's package as long as the trait is on.
func target(of rival: Rival) -> Target {
  let package = rival.url.split(separator: "/").last.map(String.init)!
  return .target(
    name: "\(rival.trait)Rival",
    dependencies: named(["UploadScenario", "RuntimeOperations"])
      + rival.products.map {
        .product(name: $0, package: package, condition: .when(traits: [rival.trait]))
      },
    path: "Sources/Contenders/Rivals/\(rival.trait)")
}

let package = Package(
  name: "fanout",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "bench-http", targets: ["bench-http"]),
    // What a contender of one's own needs, in a package of its own (Examples/YourContender).
    .library(name: "Fanout", targets: ["UploadScenario", "CallbackUploads", "FanoutCommand", "Conformance"]),
    .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
    // What benchmarks of one's own need (Examples/YourBenchmarks).
    .library(name: "Benchmarking", targets: ["Benchmarking"]),
    .library(name: "ClosureTasks", targets: ["ClosureTasks"]),
    .library(name: "Futures", targets: ["Futures"]),
    .library(name: "Coroutines", targets: ["Coroutines"]),
    // URLSession's futures: the only runtime that loads FoundationNetworking.
    .library(name: "CoroutinesFoundation", targets: ["CoroutinesFoundation"]),
    .library(name: "ReactiveStreams", targets: ["ReactiveStreams"]),
    .library(name: "Exploration", targets: ["Exploration"]),
    // The same as a trait of Swift Testing.
    .library(name: "ExplorationTesting", targets: ["ExplorationTesting"]),
    // For Tests/Fuzzing alone: it promises nothing.
    .library(name: "_Records", targets: ["Results", "Verdicts", "Exports"]),
  ],
  traits: Set(rivals.map { .trait(name: $0.trait, description: "Fetch and measure \($0.url)") })
    .union([
      .trait(
        name: "Rivals", description: "Fetch and measure all but \(rivalsApart.joined(separator: ", "))",
        enabledTraits: Set(rivals.map(\.trait)).subtracting(rivalsApart))
    ]),
  dependencies: rivals.map { .package(url: $0.url, exact: $0.version) },
  targets: contenders.map {
    .target(
      name: $0.target, dependencies: named(["UploadScenario", "RuntimeOperations"] + $0.runtimes),
      path: "Sources/Contenders/\($0.folder)")
  }
    + rivals.map(target)
    + folders.flatMap { folder, targets in
      targets.map {
        .target(
          name: $0.target, dependencies: named($0.dependencies), path: "Sources/\(folder)/\($0.target)",
          swiftSettings: settings(of: $0.target))
      }
    }
    + [
      .executableTarget(name: "bench", dependencies: named(["BenchEntry"]), path: "Sources/Command/bench"),
      // The same with URLSession and the libraries that it brings along: nobody else loads them.
      .executableTarget(
        name: "bench-http", dependencies: named(["BenchEntry", "URLSessionTransport"]),
        path: "Sources/Command/bench-http"),
    ]
    + testSupport.map {
      .target(
        name: $0.target, dependencies: named($0.dependencies), path: "Tests/\($0.target)",
        swiftSettings: settings(of: $0.target))
    }
    + [.executableTarget(name: cheats.target, dependencies: named(cheats.dependencies), path: "Tests/Cheats")]
    + [
      .executableTarget(
        name: oddBenchmarks.target, dependencies: named(oddBenchmarks.dependencies),
        path: "Tests/OddBenchmarks")
    ]
    + tests.map {
      .testTarget(
        name: $0.target, dependencies: named($0.dependencies + ["CTestSupport", "TestSupport"]),
        exclude: testData[$0.target] ?? [])
    }
)
