// swift-tools-version: 6.1
import PackageDescription

// The manifest is a table: one row per contender, one list per room of the house.

/// A contender: its target, and the one runtime it is written in (none if the toolchain ships it).
let contenders: [(target: String, runtimes: [String])] = [
  ("CallbackUploads", []),
  ("GCDGroupUploads", []),
  ("ClosureTaskUploads", ["ClosureTasks"]),
  ("OperationUploads", []),
  ("FutureUploads", ["Futures"]),
  ("CoroutineUploads", ["Coroutines"]),
  ("ReactiveStreamUploads", ["ReactiveStreams"]),
  ("SwiftConcurrencyUploads", []),
]

/// The idioms that Swift does not ship. They know nothing of uploads.
let runtimes: [(target: String, dependencies: [String])] = [
  ("CStackLocals", []),
  ("RuntimeTiming", ["CStackLocals"]),
  ("ClosureTasks", ["CStackLocals", "RuntimeTiming"]),
  ("Futures", ["CStackLocals", "RuntimeTiming"]),
  ("CContextSwitch", ["CStackLocals"]),
  ("Coroutines", ["CContextSwitch"]),
  ("ReactiveStreams", ["RuntimeTiming"]),
  ("ReactiveStreamsTCK", ["ReactiveStreams"]),
]

/// Whoever performs operations of the runtimes: its target, and what it is written in.
let runtimeContenders: [(target: String, dependencies: [String])] = [
  ("ReferenceOperations", ["CContextSwitch"]),
  ("ClosureTaskOperations", ["ClosureTasks"]),
  ("FutureOperations", ["Futures"]),
  ("CoroutineOperations", ["Coroutines"]),
  ("ReactiveStreamOperations", ["ReactiveStreams"]),
  ("SwiftConcurrencyOperations", []),
]

typealias Rival = (trait: String, url: String, version: Version, products: [String])

/// Other people's runtimes: a package, and the trait that fetches it. Without its trait, what is written in it is an
/// empty module.
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

/// Everything else under Sources/.
let rooms: [(target: String, dependencies: [String])] = [
  ("RawThreads", []),
  ("CCounters", []),
  ("CMachineProbes", []),
  ("UploadScenario", []),
  ("RuntimeOperations", []),
  ("UploadServices", ["UploadScenario", "RawThreads"]),
  ("Conformance", ["UploadScenario", "RawThreads"]),
  ("ContenderRegistry", ["UploadScenario"] + contenders.map(\.target) + rivals.map { "\($0.trait)Uploads" }),
  (
    "RuntimeRegistry",
    ["RuntimeOperations"] + runtimeContenders.map(\.target) + rivals.map { "\($0.trait)Operations" }
  ),
  (
    "Exploration",
    [
      "UploadScenario", "RawThreads", "RuntimeTiming", "Coroutines", "ClosureTaskUploads", "CoroutineUploads",
      "FutureUploads", "ReactiveStreamUploads",
    ]
  ),
  ("Statistics", []),
  ("Results", []),
  ("Harness", ["UploadScenario", "Results", "RawThreads", "CCounters", "CMachineProbes"]),
  ("Analysis", ["Statistics", "Results"]),
  ("Exports", ["Analysis", "Statistics", "Results"]),
  (
    "BenchCommand",
    [
      "UploadScenario", "UploadServices", "Conformance", "Results", "Harness", "Analysis", "Exports",
      "Statistics", "RawThreads", "RuntimeOperations",
    ]
  ),
  ("URLSessionTransport", ["UploadScenario", "UploadServices"]),
  (
    "BenchEntry", ["BenchCommand", "ContenderRegistry", "Exploration", "RuntimeRegistry", "UploadServices"]
  ),
]

/// Test targets: one folder per target, one file per source file.
let tests: [(target: String, dependencies: [String])] = [
  ("RuntimeTimingTests", ["RuntimeTiming", "RuntimeTestSupport"]),
  ("ClosureTasksTests", ["ClosureTasks", "RuntimeTiming", "RuntimeTestSupport"]),
  ("FuturesTests", ["Futures", "RuntimeTiming", "RuntimeTestSupport"]),
  (
    "CoroutinesTests",
    [
      "ClosureTasks", "Coroutines", "CContextSwitch", "CSparseFrame", "Futures", "ReactiveStreams",
      "RuntimeTestSupport",
    ]
  ),
  ("ReactiveStreamsTests", ["ReactiveStreams", "ReactiveStreamsTCK", "RuntimeTestSupport"]),
  ("RawThreadsTests", ["RawThreads"]),
  ("UploadScenarioTests", ["UploadScenario"]),
  ("UploadServicesTests", ["UploadScenario", "UploadServices", "RawThreads"]),
  (
    "URLSessionTransportTests",
    ["ContenderRegistry", "Harness", "RawThreads", "URLSessionTransport", "UploadScenario", "UploadServices"]
  ),
  ("StatisticsTests", ["Statistics", "RuntimeTestSupport"]),
  ("ResultsTests", ["Results"]),
  ("AnalysisTests", ["Analysis", "Results", "Statistics", "RuntimeTestSupport"]),
  ("ExportsTests", ["Exports", "Analysis", "Results", "RuntimeTestSupport"]),
  (
    "HarnessTests",
    [
      "Analysis", "Harness", "Results", "UploadScenario", "RawThreads", "CCounters", "CMachineProbes",
      "RuntimeTestSupport",
    ]
  ),
  ("ConformanceTests", ["Conformance", "ContenderRegistry", "UploadScenario", "RawThreads"]),
  ("RuntimeContendersTests", ["RuntimeOperations", "RuntimeRegistry", "RuntimeTestSupport", "RawThreads"]),
  (
    "BenchCommandTests",
    [
      "Analysis", "BenchCommand", "Conformance", "ContenderRegistry", "Exports", "Harness", "Results",
      "RuntimeOperations", "RuntimeRegistry", "RuntimeTestSupport", "UploadScenario",
    ]
  ),
  ("ExplorationTests", ["Exploration", "UploadScenario"]),
]

/// What the tests of several targets share, under Tests/.
let testSupport = ["RuntimeTestSupport", "CMutexAnnotations", "CSparseFrame"]

/// What lies beside a test target's sources and is read at run time.
let testData = ["AnalysisTests": ["Golden"], "ExportsTests": ["Golden"]]

func named(_ names: [String]) -> [Target.Dependency] { names.map { .init(stringLiteral: $0) } }

/// A target that is written in a rival's package, as long as the trait is on.
func target(_ name: String, in folder: String, of rival: Rival, _ dependencies: [String]) -> Target {
  let package = rival.url.split(separator: "/").last.map(String.init)!
  return .target(
    name: name,
    dependencies: named(dependencies)
      + rival.products.map {
        .product(name: $0, package: package, condition: .when(traits: [rival.trait]))
      },
    path: "\(folder)/\(name)")
}

let package = Package(
  name: "fanout",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "bench-http", targets: ["bench-http"]),
    // What a contender of one's own needs, in a package of its own (Examples/YourContender).
    .library(name: "UploadScenario", targets: ["UploadScenario"]),
    .library(name: "CallbackUploads", targets: ["CallbackUploads"]),
    .library(name: "BenchCommand", targets: ["BenchCommand"]),
    .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
    .library(name: "ClosureTasks", targets: ["ClosureTasks"]),
    .library(name: "Futures", targets: ["Futures"]),
    .library(name: "Coroutines", targets: ["Coroutines"]),
    .library(name: "ReactiveStreams", targets: ["ReactiveStreams"]),
    .library(name: "ReactiveStreamsTCK", targets: ["ReactiveStreamsTCK"]),
    .library(name: "Conformance", targets: ["Conformance"]),
    // What Tests/Fuzzing attacks.
    .library(name: "Results", targets: ["Results"]),
    .library(name: "Analysis", targets: ["Analysis"]),
    .library(name: "Exports", targets: ["Exports"]),
  ],
  traits: Set(rivals.map { .trait(name: $0.trait, description: "Fetch and measure \($0.url)") })
    .union([
      .trait(
        name: "Rivals", description: "Fetch and measure all but \(rivalsApart.joined(separator: ", "))",
        enabledTraits: Set(rivals.map(\.trait)).subtracting(rivalsApart))
    ]),
  dependencies: rivals.map { .package(url: $0.url, exact: $0.version) },
  targets: runtimes.map {
    .target(
      name: $0.target, dependencies: named($0.dependencies), path: "Sources/Runtimes/\($0.target)")
  }
    + contenders.map {
      .target(
        name: $0.target, dependencies: named(["UploadScenario"] + $0.runtimes),
        path: "Sources/Contenders/\($0.target)")
    }
    + rivals.flatMap {
      [
        target("\($0.trait)Operations", in: "Sources/Rivals", of: $0, ["RuntimeOperations"]),
        target("\($0.trait)Uploads", in: "Sources/Contenders/Rivals", of: $0, ["UploadScenario"]),
      ]
    }
    + runtimeContenders.map {
      .target(
        name: $0.target, dependencies: named(["RuntimeOperations"] + $0.dependencies),
        path: "Sources/RuntimeContenders/\($0.target)")
    }
    + rooms.map { .target(name: $0.target, dependencies: named($0.dependencies)) }
    + [
      .executableTarget(name: "bench", dependencies: named(["BenchEntry"])),
      // The same with URLSession and the libraries that it brings along: nobody else loads them.
      .executableTarget(name: "bench-http", dependencies: named(["BenchEntry", "URLSessionTransport"])),
    ]
    + testSupport.map { .target(name: $0, path: "Tests/\($0)") }
    + tests.map {
      .testTarget(
        name: $0.target, dependencies: named($0.dependencies + ["CMutexAnnotations"]),
        exclude: testData[$0.target] ?? [])
    }
)
