import Foundation
import Harness
import Results
import UploadScenario
import Verdicts

/// Whether this build costs more than another one: both measured interleaved, here and now.
enum AgainstCheck: SubjectCheck {
  static func report<Work: Workload>(
    _ options: Options, _ subjects: CheckSubjects<Work>, _ output: CheckOutput
  ) throws -> CheckReport {
    let options = try AgainstOptions(options, subjects)
    try UsageError.checkBuild(.check, allowsDebug: options.allowsDebugBuild)
    // Before the other commit is built: that takes a while.
    let awake = try Awake.request(options.isAwake)
    defer { awake?.end() }
    if let path = options.recordPath, FileManager.default.fileExists(atPath: path) {
      throw ResultsError.exists(path: path, option: DuetRound.option)
    }
    if options.layouts > 1 { try Layouts.refuseIfImpossible() }
    let base = try OtherBuild(
      options.against, allowsDirty: options.allowsDirty && options.layouts == 1, layouts: options.layouts,
      progress: output.progress)
    // Links anew what this build is of; the work tree is clean.
    let candidates =
      options.layouts > 1
      ? try OtherBuild("HEAD", layouts: options.layouts, progress: output.progress).executables
      : [WorkerCommand.executable]
    // What both builds know.
    let known = subjects.known(base)
    let cells = subjects.cells(
      of: options.contenders.filter(known.contenders.contains),
      in: options.scenarios.filter { known.works.contains($0.name) })
    guard !cells.isEmpty else {
      throw BaselineProblem(
        "\(base.name) knows none of these contenders and \(subjects.noun)s: there is nothing to compare.")
    }
    if let name = options.named.first(where: { !known.contenders.union(known.works).contains($0) }) {
      throw BaselineProblem(
        "\(base.name) does not know \(name), so it cannot be compared: ask for what both know.")
    }
    let remarks = Self.remarks(options, base, known)
    for remark in remarks { output.progress(remark) }
    let record = try options.recordPath.map(CSVWriter<DuetRound>.init(creating:))
    let session = DuetSession(
      options, base: base, candidates: candidates, cells: cells, remarks: remarks, record: record)
    output.progress(session.announcement)
    let conditions = RunConditions()
    try session.run()
    try record?.close()
    return session.report(conditions.lines)
  }

  /// What is left out, and what is compared that nobody would want to.
  private static func remarks<Work>(
    _ options: AgainstOptions<Work>, _ base: OtherBuild,
    _ known: (contenders: Set<String>, works: Set<String>)
  ) -> [String] {
    let lacking =
      options.scenarios.map(\.name).filter { !known.works.contains($0) }
      + options.contenders.filter { !known.contenders.contains($0) }
    var remarks = [BuildAge.remark].compactMap(\.self)
    if !lacking.isEmpty {
      remarks.append("Left out, because \(base.name) does not know it: \(lacking.joined(separator: ", ")).")
    }
    if options.layouts > 1 {
      remarks.append("Each side is linked \(options.layouts) times, its code in another order each time.")
    }
    if FileManager.default.contentsEqual(atPath: base.executable.path, andPath: WorkerCommand.executable.path)
    {
      remarks.append("Both builds are the same, byte for byte.")
    }
    if options.isAwake { remarks.append("Processors were kept awake (--awake).") }
    if let injected = options.injected {
      remarks.append("This build pretends to be slower by \((injected.share * 1_000).rounded() / 10) %.")
    }
    return remarks
  }
}

/// Links of one commit that differ in nothing but where its code lies.
///
/// Where the linker happens to put a loop can cost it a per cent or two, and two builds are two such places. Code that is put into
/// another order with every link (T. Mytkowicz, A. Diwan, M. Hauswirth and P. F. Sweeney, “Producing Wrong Data Without Doing
/// Anything Obviously Wrong!”, ASPLOS 2009; C. Curtsinger and E. D. Berger, “STABILIZER”, ASPLOS 2013) makes of that an error that
/// pairs average out.
enum Layouts {
  static let option = Option(
    "--layouts", "N",
    "link each side so often, its code in another order each time: what only lies elsewhere is no slow-down (1: as it is)"
  )

  /// So that the linker can move every function by itself.
  static let compilerOptions = [
    "-Xswiftc", "-use-ld=lld", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections",
  ]

  static func linkerOptions(seed: Int) -> [String] { ["-Xlinker", "--shuffle-sections=.text*=\(seed)"] }

  static func refuseIfImpossible() throws {
    #if os(Linux)
      if try Tool.run("ld.lld", ["--version"], timeout: .seconds(20)).status == 0 { return }
      let lacking = "ld.lld, which Swift's toolchains bring along, is not on the path"
    #else
      let lacking = "this platform's linker cannot"
    #endif
    throw UsageError(
      "--layouts needs a linker that puts code into another order: \(lacking). Without it, a margin below 2 % may be a matter of where code lies."
    )
  }
}
