import Foundation
import Harness
import Results
import Verdicts

/// What the machine is like while a run is measured, as far as it bears on every number: how many processors there are, what a
/// control group allows of them, and what others take.
struct RunConditions {
  private let stopwatch = Stopwatch()
  private let watch: DisturbanceWatch
  private let machine: MachineRecord

  init(_ files: MachineFiles = .here) {
    machine = MachineProbe(files).record()
    watch = DisturbanceWatch(files)
  }

  /// Before anything is measured: what is known then is known of a run that is killed, too.
  func record(into environment: inout EnvironmentRecord) { note(machine, in: &environment) }

  /// Once everything is measured, and no worker is left.
  func end(into environment: inout EnvironmentRecord) {
    let known = DoctorReadings.conditions(of: machine)
    environment.warnings.removeAll(where: known.contains)
    note(sinceStart, in: &environment)
  }

  /// What of it bears on what was measured until now: a line each.
  var lines: [String] { DoctorReadings.conditions(of: sinceStart) }

  private var sinceStart: MachineRecord {
    var machine = machine
    watch.record(
      into: &machine, elapsedNanoseconds: stopwatch.nanoseconds,
      processors: machine.processorsOnline ?? 1)
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

/// `--awake`: processors are kept from sleeping while something is measured.
enum Awake {
  static let option = Option(
    "--awake", nil,
    "keep processors from sleeping meanwhile: hand-overs between threads cost half (Linux, as root)")

  /// The request, for whoever measures to end; nil if nobody asked for it.
  ///
  /// - Throws: `UsageError` where it is refused: what was asked for in words is not left out in silence.
  static func request(_ isAsked: Bool, path: String = LatencyRequest.path) throws -> LatencyRequest? {
    guard isAsked else { return nil }
    do throws(LatencyRequest.Refused) { return try LatencyRequest(path: path) } catch {
      throw UsageError("--awake cannot be had here: \(error). Nothing was measured.")
    }
  }
}

/// Whether an executable is of the sources that lie beside it now, or of older ones: then its name misleads.
enum BuildAge {
  /// What is to be said if a source that is linked into this executable was changed since; nil if none was, or if it was
  /// copied away from where it was built. Looked up once: that reads what all of the sources' folders hold.
  static let remark = remark(
    of: WorkerCommand.executable.resolvingSymlinksInPath(), sources: SourceLines.sources)

  static func remark(of executable: URL, sources: URL) -> String? {
    // The package manager's list of what it linked.
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
      return "This executable is older than \(name), so it is not what the sources say: build it anew."
    }
    return nil
  }

  private static func changed(_ file: URL) -> Date? {
    try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
  }
}
