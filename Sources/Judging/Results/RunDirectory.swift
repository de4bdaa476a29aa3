import Foundation

/// The folder of one recorded run, `results/<run>/`.
///
/// It is readable at any moment of the run and after its sudden end: samples.csv grows by whole rows, the other files
/// are replaced as a whole.
public struct RunDirectory: Sendable, Equatable {
  public static let samplesName = "samples.csv"
  public static let summaryName = "summary.csv"
  public static let growthName = "growth.csv"
  public static let crossoversName = "crossovers.csv"
  public static let accountsName = "accounts.csv"
  public static let answerName = "answer.json"
  public static let traceName = "trace.json"
  public static let environmentName = "environment.json"
  public static let markdownName = "summary.md"
  public static let latestName = "latest"

  public let path: String
  /// The run's name: its folder's, with links resolved.
  public let name: String

  /// Where the run is until it has something in it.
  var claim: RunDirectory {
    RunDirectory(path: (path as NSString).deletingLastPathComponent + "/.\(name).partial", name: name)
  }

  public var samplesPath: String { path + "/" + Self.samplesName }
  public var summaryPath: String { path + "/" + Self.summaryName }
  public var growthPath: String { path + "/" + Self.growthName }
  public var crossoversPath: String { path + "/" + Self.crossoversName }
  public var environmentPath: String { path + "/" + Self.environmentName }
  public var markdownPath: String { path + "/" + Self.markdownName }

  /// Takes a name for a new run in `output`. It gets its folder with ``begin(_:)``: whatever ends the process before leaves
  /// nothing that looks like a run.
  ///
  /// - Parameter name: nil names the run after `date`, with a number if that is taken; one that is given and taken is refused.
  public static func create(
    name: String? = nil, in output: String, date: Date = Date()
  ) throws(ResultsError) -> RunDirectory {
    if let name {
      do throws(FieldProblem) {
        try RecordName.checkRun(name)
      } catch {
        throw .refused(column: "the run's name", problem: error.description)
      }
    }
    do {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: output, reason: SystemReason.of(error))
    }
    let latest = output + "/" + latestName
    if (try? FileManager.default.attributesOfItem(atPath: latest)[.type] as? FileAttributeType)
      .map({ $0 != .typeSymbolicLink }) ?? false
    {
      throw .cannotWrite(path: latest, reason: "it is no link")
    }
    return try claim(name: name, in: output, date: date)
  }

  /// Opens a run that was recorded before, here or on another machine. `results/latest` is resolved.
  public static func open(_ path: String) throws(ResultsError) -> RunDirectory {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: url.appendingPathComponent(samplesName).path) else {
      let isLoad = FileManager.default.fileExists(atPath: url.appendingPathComponent(loadName).path)
      throw isLoad ? .loadRun(path: path) : .noRun(path: path)
    }
    return RunDirectory(path: path, name: url.lastPathComponent)
  }

  /// The name of a run that was started at `date`: `20260131-235959`, in UTC.
  public static func defaultName(at date: Date) -> String {
    date.ISO8601Format(
      .iso8601(timeZone: .gmt, dateSeparator: .omitted, dateTimeSeparator: .space, timeSeparator: .omitted)
    )
    .replacing(" ", with: "-").replacing("Z", with: "")
  }

  private static func claim(name: String?, in output: String, date: Date) throws(ResultsError) -> RunDirectory
  {
    let stem = name ?? defaultName(at: date)
    var attempt = 1
    while true {
      let candidate = attempt == 1 ? stem : "\(stem)-\(attempt)"
      let run = RunDirectory(path: output + "/" + candidate, name: candidate)
      let isClaimed = mkdir(run.claim.path, 0o755) == 0
      if !isClaimed, errno != EEXIST {
        throw .cannotWrite(path: run.path, reason: POSIXFile.lastErrorText)
      }
      // Only now that the name is claimed: another process may have created the folder just before.
      let isTaken = (try? FileManager.default.attributesOfItem(atPath: run.path)) != nil
      if isClaimed, !isTaken { return run }
      if isClaimed { rmdir(run.claim.path) }
      if name != nil { throw .exists(path: isTaken ? run.path : run.claim.path, option: "--name") }
      attempt += 1
    }
  }
}
