import Foundation
import Harness
import Results
import UploadScenario
import UploadServices

/// The internal subcommand that runs in the worker process of one contender.
enum WorkerCommand {
  static let options =
    [
      Option("--contender", "NAME", "serve samples of this contender's uploads"),
      Option(BenchmarkTable.workerOption, "NAME", "serve samples of the operations or benchmarks of NAME"),
      Option("--load", "NAME", "serve windows of load"),
      Option("--trace", "NAME", "record posts"),
      Option("--slow-down-cost", "SHARE", "make every sample longer by this share of its processor time"),
      Option("--slow-down-wall", "SHARE", "make every sample longer by this share of its time on the clock"),
      Option("--slow-down", "SHARE", "make every sample longer by this share of both"),
      Option("--slow-down-in", "A,B", "only samples of these scenarios"),
      Option("--plant-allocations", "N", "make N more allocations for each upload in counting passes"),
      Option("--plant-retains", "N", "make N more retains for each upload in counting passes"),
      Option("--examine", "JSON", "try rules of a contender"),
      Option("--explore", "JSON", "explore interleavings"),
    ]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let (options, http) = (try Options(arguments, known: options), known.http)
    if let examination: Examination = try value("--examine", of: options) {
      examination.serve(try known.named(examination.contender))
    }
    if let request: ExplorationRequest = try value("--explore", of: options), let explore = known.explore {
      request.serve(explore)
    }
    if let name = options.text("--load") {
      let contender = try known.named(name)
      WorkerLoop.serve { LoadWorker(Wiring.setup(contender, named: name, http: http)) }
    }
    if let name = options.text("--trace") {
      let contender = try known.named(name)
      WorkerLoop.serve { TraceWorker(Wiring.setup(contender, named: name, http: http)) }
    }
    let slowDown =
      try options.share("--slow-down-cost").map(SlowDown.cost)
      ?? options.share("--slow-down-wall").map(SlowDown.wall)
      ?? options.share("--slow-down").map(SlowDown.both)
    let scenarios = try options.list("--slow-down-in")
    let plant = PlantedWork(
      allocations: try options.integer("--plant-allocations", in: 0...10_000) ?? 0,
      retains: try options.integer("--plant-retains", in: 0...10_000) ?? 0)
    if let name = options.text(BenchmarkTable.workerOption) {
      let table = known.benchmarks
      WorkerLoop.serve(hasMain: table.cases.allSatisfy(\.ownsProcess)) {
        BenchmarkWorker<BenchmarkCase>(
          slowDown: { scenarios?.contains($0.name) ?? true ? slowDown : nil }, plant: plant,
          body: { try table.body(of: $0, by: name) })
      }
    }
    let name = options.text("--contender") ?? ""
    let contender: any Contender = name == ExternalBaseline.service ? ServiceDriver() : try known.named(name)
    WorkerLoop.serve {
      UploadWorker(
        Wiring.setup(contender, named: contender.name, http: http),
        slowDown: { scenarios?.contains($0.name) ?? true ? slowDown : nil }, plant: plant)
    }
  }

  static let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])

  /// The arguments that start a worker with a request as JSON.
  static func arguments(_ option: String, _ value: some Encodable) throws(WorkerFailure) -> [String] {
    guard let json = try? JSONEncoder().encode(value) else {
      throw .cannotStart(reason: "its first request cannot be encoded as JSON")
    }
    return [Subcommand.worker.rawValue, option, String(decoding: json, as: UTF8.self)]
  }

  private static func value<Value: Decodable>(_ option: String, of options: Options) throws -> Value? {
    try options.text(option).map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }

  /// Returns a function that starts a contender's worker.
  ///
  /// - Parameter executable: another build, of which each process gets a copy. `nil` means this executable.
  static func launcher<Request: WorkerRequest>(
    of executable: URL? = nil, placement: Placement = .anywhere, budgetNanoseconds: UInt64 = .max,
    options: @escaping @Sendable (_ contender: String) -> [String] = { ["--contender", $0] },
    isLate: @escaping @Sendable () -> Bool = { false }
  ) -> WorkerLauncher<Request> {
    { contender, _ throws(WorkerFailure) in
      let worker = try WorkerProcess<Request>(
        executable: executable ?? Self.executable,
        arguments: [Subcommand.worker.rawValue] + options(contender), placement: placement,
        isCopied: executable != nil, isInterrupted: { Interruption.isRequested || isLate() })
      worker.budgetSeconds = Int(clamping: budgetNanoseconds / 1_000_000_000)
      return worker
    }
  }
}
