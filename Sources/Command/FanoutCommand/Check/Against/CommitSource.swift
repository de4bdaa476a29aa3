import Foundation
import Harness
import Results

/// A commit of the package that the user is in, and how it is built without touching the user's files.
struct CommitSource {
  let name: String
  private let commit: String
  /// Where Package.swift lies, and where that is in the repository.
  private let package: URL
  private let prefix: String

  /// Of whatever git takes for a commit.
  init(_ text: String, folder: URL) throws {
    let inside = try Tool.run("git", ["rev-parse", "--show-toplevel"], in: folder)
    guard inside.status == 0 else {
      throw BaselineProblem(
        "\(text) is no executable, and no commit can be looked up: \(Self.firstError(inside.output)).")
    }
    let found = try Tool.run(
      "git", ["rev-parse", "--verify", "--quiet", "--end-of-options", text + "^{commit}"], in: folder)
    guard found.status == 0, let commit = found.output.split(separator: "\n").first else {
      let shallow = try Tool.run("git", ["rev-parse", "--is-shallow-repository"], in: folder)
      let advice =
        shallow.output.hasPrefix("true")
        ? "This clone is shallow: `git fetch --unshallow` gets the others (`fetch-depth: 0` of actions/checkout)."
        : "`git log --oneline` shows commits."
      throw BaselineProblem("\(text) is neither an executable nor a commit. \(advice)")
    }
    self.commit = String(commit)
    name =
      text.count > 20 || self.commit.hasPrefix(text)
      ? String(commit.prefix(12)) : "\(text) (\(commit.prefix(12)))"
    package = try Self.package(at: folder.standardizedFileURL)
    prefix = try Tool.run("git", ["rev-parse", "--show-prefix"], in: package).output.trimmingCharacters(
      in: .newlines)
  }

  /// A build of files that no commit has is a build of none.
  func refuseChanges() throws {
    let changes = try Tool.run("git", ["status", "--porcelain", "--untracked-files=all"], in: package).output
      .split(separator: "\n")
    guard let first = changes.first else { return }
    let others = changes.count > 1 ? " and \(changes.count - 1) more" : ""
    throw UsageError(
      "the work tree has changes that no commit has (\(first.dropFirst(3))\(others)), so this build cannot be named. "
        + "Commit or stash them, or give --allow-dirty to check it as it is.")
  }

  /// One build for each commit and toolchain is kept, and one for each layout; the intermediate files are shared, so that the
  /// next commit is built faster. Two checks at once would build in the same place: the second waits.
  ///
  /// - Parameter layouts: how many links to make that differ in where code lies; 1: one as it is.
  func build(_ product: String, layouts: Int = 1, progress: (String) -> Void) throws -> [URL] {
    let places = package.appendingPathComponent(".build/check", isDirectory: true)
    try? FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    let name = "\(commit)-\(try Self.toolchainKey())"
    let builds = layouts == 1 ? [name] : (1...layouts).map { "\(name)-layout-\($0)" }
    let built = builds.map(places.appendingPathComponent)
    let lock = try FileLock(places.appendingPathComponent("lock").path) {
      progress("waiting for another check that is building, or for what one left behind …")
    } isInterrupted: {
      Interruption.isRequested
    }
    defer { lock.release() }
    if built.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0.path) }) { return built }

    let source = places.appendingPathComponent("source")
    // Held by all that works on the source: if this check is killed, the next one waits for what it has left.
    func git(_ arguments: String..., isInterrupted: () -> Bool = { Interruption.isRequested }) throws
      -> (status: Int32, output: String)
    {
      // A daemon that watches files would hold it for ever.
      try Tool.run(
        "git", ["-c", "core.fsmonitor=false"] + arguments, in: package, holding: lock.descriptor,
        isInterrupted: isInterrupted)
    }
    // When the user has ended the check, too.
    func remove() throws {
      _ = try git("worktree", "remove", "--force", source.path, isInterrupted: { false })
      try? FileManager.default.removeItem(at: source)
      _ = try git("worktree", "prune", isInterrupted: { false })
    }
    // A check that was killed leaves it behind.
    try remove()
    progress("building \(self.name) …")
    defer { try? remove() }
    let added = try git("worktree", "add", "--detach", "--force", source.path, commit)
    guard added.status == 0 else {
      throw BaselineProblem("\(self.name) cannot be checked out: \(Self.firstError(added.output)).")
    }
    if FileManager.default.fileExists(atPath: source.appendingPathComponent(".gitmodules").path) {
      progress("checking out the submodules of \(self.name) …")
      let modules = try git("-C", source.path, "submodule", "--quiet", "update", "--init", "--recursive")
      guard modules.status == 0 else {
        throw BaselineProblem(
          "the submodules of \(self.name) cannot be checked out: \(Self.firstError(modules.output)).")
      }
    }
    let tooOld = BaselineProblem(
      "\(self.name) is too old for this: it has no executable \(product) yet. Give a later commit.")
    let manifests = source.appendingPathComponent(prefix)
    // Where there is no manifest, the package manager would build the user's own package, which lies around this one.
    guard FileManager.default.fileExists(atPath: manifests.appendingPathComponent("Package.swift").path)
    else {
      throw tooOld
    }
    let scratch = places.appendingPathComponent(layouts == 1 ? "build" : "build-layouts").path
    for (index, built) in built.enumerated() {
      // From the second on, nothing is left to do but to link.
      let options = layouts == 1 ? [] : Layouts.compilerOptions + Layouts.linkerOptions(seed: index + 1)
      let result = try Tool.run(
        "swift",
        [
          "build", "-c", "release", "--product", product, "--package-path", manifests.path,
          "--scratch-path", scratch,
        ] + options, holding: lock.descriptor)
      guard result.status == 0 else {
        throw result.output.contains("no product named '\(product)'")
          ? tooOld : BaselineProblem("\(self.name) does not build: \(Self.firstError(result.output)).")
      }
      do {
        // Renamed when it is whole: a copy that was cut off would be taken for the build.
        let part = built.appendingPathExtension("part")
        try? FileManager.default.removeItem(at: part)
        try FileManager.default.copyItem(
          at: URL(fileURLWithPath: "\(scratch)/release/\(product)"), to: part)
        try? FileManager.default.removeItem(at: built)
        try FileManager.default.moveItem(at: part, to: built)
      } catch {
        throw FileProblem("cannot keep the build of \(self.name): \(SystemReason.of(error)).")
      }
    }
    return built
  }

  /// The nearest folder upwards that has a manifest.
  private static func package(at folder: URL) throws -> URL {
    var place = folder
    while !FileManager.default.fileExists(atPath: place.appendingPathComponent("Package.swift").path) {
      if place.path == "/" {
        throw BaselineProblem("there is no Package.swift here or above: a commit cannot be built.")
      }
      place.deleteLastPathComponent()
    }
    return place
  }

  private static func toolchainKey() throws -> String {
    // Fowler, Noll and Vo's hash: the same in every process.
    let hash = try Tool.run("swift", ["--version"]).output.utf8.reduce(
      UInt64(14_695_981_039_346_656_037)
    ) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return String(hash, radix: 36)
  }

  /// The compiler's first error, with its file and line; else the first line that says anything of one.
  private static func firstError(_ output: String) -> String {
    let lines = output.split(separator: "\n")
    let line =
      lines.first { $0.contains(/:[0-9]+:[0-9]+: error:/) }
      ?? lines.first { $0.contains("error:") || $0.hasPrefix("fatal:") } ?? lines.last
    let text = line?.trimmingCharacters(in: CharacterSet(charactersIn: ". ")) ?? ""
    return text.isEmpty ? "no reason given" : String(text.prefix(300))
  }
}

/// A program that every user of a package has: git, swift.
enum Tool {
  /// What it says on both of its outputs; a program that is missing ends with 127, as in a shell. It and all that it
  /// starts hold the descriptor `lock`, too.
  ///
  /// - Throws: `Interrupted`, `FileProblem` if it cannot be started, or `BaselineProblem` if it does not end or prints
  ///   without end.
  static func run(
    _ command: String, _ arguments: [String], in folder: URL? = nil, holding lock: Int32? = nil,
    timeout: Duration? = nil, isInterrupted: () -> Bool = { Interruption.isRequested }
  ) throws -> (status: Int32, output: String) {
    do throws(ToolProcess.Failure) {
      return try ToolProcess(command, arguments, in: folder, holding: lock)
        .wait(timeout: timeout, isInterrupted: isInterrupted)
    } catch {
      switch error {
      case .interrupted: throw Interrupted()
      case .cannotStart(let reason): throw FileProblem(reason)
      default: throw BaselineProblem("`\(([command] + arguments).joined(separator: " "))` \(error).")
      }
    }
  }
}

/// A file that one process at a time holds, together with the children that it hands the descriptor to.
///
/// It is free once all of them have ended or closed it, however they end.
struct FileLock {
  let descriptor: Int32

  /// Waits until nobody else holds it, and says so once by `waits`. The file is made if it does not exist, and never
  /// removed, or two could hold locks of one name.
  init(_ path: String, waits: () -> Void, isInterrupted: () -> Bool) throws {
    try self.init(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644), path, waits: waits, isInterrupted)
  }

  /// The same on the folder of a file that is replaced: it needs no file of its own there.
  init(folderOf path: String, isInterrupted: () -> Bool) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try self.init(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder, waits: {}, isInterrupted)
  }

  private init(_ opened: Int32, _ path: String, waits: () -> Void, _ isInterrupted: () -> Bool) throws {
    descriptor = opened
    if descriptor < 0 { throw FileProblem("cannot write \(path): \(String(cString: strerror(errno))).") }
    var isWaiting = false
    // Not `flock` that waits: a signal does not end it.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let error = errno
      guard error == EWOULDBLOCK || error == EINTR else {
        release()
        throw FileProblem("cannot lock \(path): \(String(cString: strerror(error))).")
      }
      if isInterrupted() {
        release()
        throw Interrupted()
      }
      if !isWaiting { waits() }
      isWaiting = true
      usleep(100_000)
    }
  }

  /// Once. Children that hold it go on holding it.
  func release() { close(descriptor) }
}
