import Foundation
import Harness
import Results
import Verdicts

/// The machine's conditions during a run: its processors, the control group's quota, and how much other processes use.
struct RunConditions {
  private let stopwatch = Stopwatch()
  private let watch: DisturbanceWatch
  private let machine: MachineRecord

  init(_ files: MachineFiles = .here) {
    machine = MachineProbe(files).record()
    watch = DisturbanceWatch(files)
  }

  /// Records the conditions before the first measurement, because a killed run never reaches `end`.
  func record(into environment: inout EnvironmentRecord) { note(machine, in: &environment) }

  /// Records the conditions of the whole run, after the last worker has ended.
  func end(into environment: inout EnvironmentRecord) {
    let known = DoctorReadings.conditions(of: machine)
    environment.warnings.removeAll(where: known.contains)
    note(sinceStart, in: &environment)
  }

  /// Sentences about conditions that have disturbed the measurements so far.
  var lines: [String] { DoctorReadings.conditions(of: sinceStart) }

  private var sinceStart: MachineRecord {
    var machine = machine
    watch.record(
      into: &machine, elapsedNanoseconds: stopwatch.nanoseconds, processors: machine.processorsOnline ?? 1)
    return machine
  }

  private func note(_ machine: MachineRecord, in environment: inout EnvironmentRecord) {
    environment.processorsAllowed = machine.processorsAllowed
    if case .at(let processors) = machine.processorQuota { environment.processorQuota = processors }
    environment.throttledShare = machine.throttledShare
    environment.othersShare = machine.othersShare
    environment.warnings += DoctorReadings.conditions(of: machine)
  }
}

/// The option `--awake`, which keeps processors from sleeping during the measurement.
enum Awake {
  static let option = Option(
    "--awake", nil,
    "keep processors from sleeping: hand-overs between threads take half the time (Linux, as root)")

  /// Asks the system to keep processors awake until the caller ends the request. Throws `UsageError` if the system refuses.
  static func request(_ isWanted: Bool, path: String = LatencyRequest.path) throws -> LatencyRequest? {
    guard isWanted else { return nil }
    do throws(LatencyRequest.Refused) { return try LatencyRequest(path: path) } catch {
      throw UsageError("--awake is not possible here: \(error). Nothing was measured.")
    }
  }
}

enum BuildAge {
  /// A warning if a source file has changed since this executable was built. `nil` if the executable was copied out of its build folder.
  static let remark = remark(
    of: WorkerCommand.executable.resolvingSymlinksInPath(), sources: SourceLines.sources)

  static func remark(of executable: URL, sources: URL) -> String? {
    // SwiftPM's list of linked object files.
    let list = executable.deletingLastPathComponent()
      .appendingPathComponent("\(executable.lastPathComponent).product/Objects.LinkFileList")
    guard let built = changed(executable), let objects = try? String(contentsOf: list, encoding: .utf8),
      let files = FileManager.default.enumerator(
        at: sources, includingPropertiesForKeys: [.contentModificationDateKey])
    else { return nil }
    let linked = Set(objects.split(whereSeparator: \.isNewline).compactMap { $0.split(separator: "/").last })
    for case let file as URL in files
    where linked.contains("\(file.lastPathComponent).o") || file.pathExtension == "h" {
      guard let date = changed(file), date > built else { continue }
      let name = file.pathComponents.dropFirst(sources.pathComponents.count - 1).joined(separator: "/")
      return "This executable is older than its source \(name): build it again."
    }
    return nil
  }

  /// The time of a file's last change.
  static func changed(_ file: URL) -> Date? {
    try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
  }
}
