import Foundation

/// Runs all libraries in all scenarios, one at a time, and prints the table.
struct Meeting {
  typealias Library = (name: String, racer: any Racer.Type)

  static let libraries: [Library] = [
    ("SwiftConcurrency", SwiftConcurrencyRacer.self), ("Coroutines", CoroutinesRacer.self),
    ("Futures", FuturesRacer.self), ("ClosureTasks", ClosureTasksRacer.self),
    ("ReactiveStreams", ReactiveStreamsRacer.self),
  ]

  static let scenarios = [
    "race of two", "one loses its connection", "race of many", "one with a timeout", "one answers 500",
    "one of three answers 500", "hedge after 3 s", "resources are closed", "letters in order of arrival",
    "computation beside", "race within a race",
  ]

  /// The library that races 10,000 in the short form, too.
  static let full = "Coroutines"

  private struct Outcome {
    var problems: [String] = []
    var isLeftOpen = false
    var time = Duration.zero
  }

  private let options: Options
  private let second: Duration
  private let server: ServerProcess
  private let control: Client
  private let client: Client
  private let most: Int

  init(_ options: Options) throws {
    self.options = options
    second = .milliseconds(options.isShort ? 100 : 1000)
    let limit = Socket.raiseLimit()
    most = min(10_000, limit - 200)
    if most < 10_000 {
      print(
        "Scenario 3 races \(most) requests, not 10000: at most \(limit) descriptors may be open (ulimit -Hn)."
      )
    }
    if options.isShort {
      print("Scenario 3 races \(most) requests in \(Self.full), \(min(1000, most)) in the others.")
    }
    server = try ServerProcess()
    control = try Client(port: server.port)
    client = try Client(port: server.port, isCareless: options.isCareless)
  }

  /// Returns whether all answers were right.
  func run() async throws -> Bool {
    let libraries = Self.libraries.filter { options.only ?? $0.name == $0.name }
    say(row("scenario", libraries.map { $0.name } + ["left open"]))
    var problems: [String] = []
    var wrong = 0
    for scenario in 1...11 {
      var cells: [String] = []
      var leavers = 0
      for library in libraries {
        let outcome = try await outcome(of: library, in: scenario)
        let isRight = outcome.problems.isEmpty
        wrong += isRight ? 0 : 1
        leavers += outcome.isLeftOpen ? 1 : 0
        problems += outcome.problems.map { "Scenario \(scenario), \(library.name): \($0)" }
        cells.append("\(isRight ? "right" : "WRONG")\(seconds(outcome.time))")
      }
      let left = leavers == 0 ? "none" : "by \(leavers)"
      say(row("\(scenario) \(Self.scenarios[scenario - 1])", cells + [left]))
    }
    say("")
    for problem in problems { say(problem) }
    let runs = 11 * libraries.count
    let verdict = wrong == 0 ? "No connection stays open after a loser is cancelled." : "\(wrong) wrong."
    say("\(runs - wrong) of \(runs) right. \(verdict)")
    return wrong == 0
  }

  private func outcome(of library: Library, in scenario: Int) async throws -> Outcome {
    let racers = options.isShort && library.name != Self.full ? min(1000, most) : most
    let racer = library.racer.init(track: Track(client: client, second: second, racers: racers))
    var outcome = Outcome()
    // The loser of scenario 8 first gets a 500, and is cancelled the second time.
    for isHeld in scenario == 8 ? [0, 1] : [0] {
      let milliseconds = Int(second / .milliseconds(1))
      let limit = options.isCareless ? 10 * milliseconds : 30_000
      _ = try await ask("/start?\(scenario),\(racers),\(milliseconds),\(isHeld),\(limit)")
      let watch = Watch("Scenario \(scenario), \(library.name)")
      let answer: String
      let start = ContinuousClock.now
      do { answer = try await racer.answer(to: scenario) } catch { answer = "\(error)" }
      outcome.time += .now - start
      watch.end()
      if answer != "right" { outcome.problems.append("answered \"\(answer)\"") }
      let open = try await ask("/idle")
      if !open.isEmpty { outcome.problems.append(open) }
      outcome.isLeftOpen = outcome.isLeftOpen || !open.isEmpty
    }
    return outcome
  }

  private func ask(_ path: String) async throws -> String {
    try await Track(client: control, second: second, racers: 0).get(path)
  }

  /// Prints a line at once, also into a file.
  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private func row(_ title: String, _ cells: [String]) -> String {
    pad(title, 31) + cells.dropLast().map { pad($0, 18) }.joined() + cells.last!
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private func seconds(_ time: Duration) -> String { String(format: "%7.2f s", time / .seconds(1)) }
}

/// This executable as the server: both ends of 10,000 connections exceed the descriptors of one process.
final class ServerProcess {
  let port: UInt16
  private let process = Process()
  private let input = Pipe()

  init() throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--serve"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = UInt16(line.split(separator: "\n").first ?? "") else {
      throw Options.Problem(description: "the server did not say its port: \(line)")
    }
    self.port = port
  }

  /// The server ends with its standard input.
  deinit { try? input.fileHandleForWriting.close() }
}

/// Ends the process if a scenario neither answers nor fails.
struct Watch {
  private let item: DispatchWorkItem

  init(_ name: String) {
    item = DispatchWorkItem {
      print("\(name): no answer in 60 s")
      exit(1)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: item)
  }

  func end() { item.cancel() }
}
