import Foundation
import Harness
import Results

/// A commit of the user's package. It is built without touching the user's files.
struct CommitSource {
  let name: String
  private let commit: String
  /// The folder that contains Package.swift.
  private let package: URL
  private let prefix: String
  private let repository: URL

  /// - Parameter text: any text that git accepts as a commit.
  init(_ text: String, folder: URL) throws {
    let inside = try Tool.run("git", ["rev-parse", "--show-toplevel"], in: folder)
    guard inside.status == 0 else {
      throw BaselineProblem(
        "\(text) is not an executable, and git finds no commit: \(Self.reason(inside.output)).")
    }
    repository = URL(fileURLWithPath: inside.output.trimmingCharacters(in: .newlines))
    let found = try Tool.run(
      "git", ["rev-parse", "--verify", "--quiet", "--end-of-options", text + "^{commit}"], in: folder)
    guard found.status == 0, let commit = found.output.split(separator: "\n").first else {
      let shallow = try Tool.run("git", ["rev-parse", "--is-shallow-repository"], in: folder)
      let advice =
        shallow.output.hasPrefix("true")
        ? "This clone is shallow: `git fetch --unshallow` fetches the missing commits (in a workflow, give actions/checkout `fetch-depth: 0`)."
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

  func refuseChanges() throws {
    let status = try Tool.run(
      "git", ["-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all"], in: package)
    guard status.status == 0 else {
      throw BaselineProblem(
        "git cannot say whether the work tree has changes: \(Self.reason(status.output)).")
    }
    let changes = status.output.split(separator: "\n")
    guard let first = changes.first else { return }
    let others = changes.count > 1 ? " and \(changes.count - 1) more" : ""
    throw UsageError(
      "the work tree has uncommitted changes (\(first.dropFirst(3))\(others)), so this build belongs to no commit. "
        + "Commit or stash them, or give --allow-dirty to check it as it is.")
  }

  /// Builds the commit, unless this toolchain has built it before. Concurrent checks build one after another.
  ///
  /// - Parameter layouts: the number of executables, each with another order of functions. 1 means the usual order.
  func build(_ product: String, layouts: Int = 1, progress: (String) -> Void) throws -> [URL] {
    let places = package.appendingPathComponent(".build/check", isDirectory: true)
    try? FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    // A commit without Package.resolved is built with that of the work tree, because newer dependencies would be another difference.
    let pins = package.appendingPathComponent("Package.resolved")
    let hasPins =
      try Tool.run("git", ["cat-file", "-e", "\(commit):\(prefix)Package.resolved"], in: package).status == 0
    let lent = hasPins ? nil : try? Data(contentsOf: pins)
    let name = "\(commit)-\(try Self.key(pins: lent))"
    let builds = layouts == 1 ? [name] : (1...layouts).map { "\(name)-layout-\($0)" }
    let built = builds.map(places.appendingPathComponent)
    let lock = try FileLock(places.appendingPathComponent("lock").path) {
      progress("waiting for another check that is building, or for processes of one that was killed …")
    } isInterrupted: {
      Interruption.isRequested
    }
    defer { lock.release() }
    // The checkout's folder has the repository's name, because SwiftPM identifies a package by its folder's name.
    let area = places.appendingPathComponent("source")
    let source = area.appendingPathComponent(repository.lastPathComponent)
    let beside = repository.deletingLastPathComponent()
    let scratch = places.appendingPathComponent(layouts == 1 ? "build" : "build-layouts").path
    if built.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0.path) }) {
      let others = DependencyState.folders(scratch).filter { !$0.hasPrefix(source.path + "/") }.map {
        $0.hasPrefix(area.path) ? beside.path + $0.dropFirst(area.path.count) : $0
      }
      // A build may depend on packages outside the repository. If their files have changed, the commit is built again.
      let date = BuildAge.changed(built[0]) ?? .distantPast
      if !others.contains(where: { DependencyState.isNewer($0, than: date) }) { return built }
    }
    // git inherits the file lock, so that another check waits for git to end, even if this check is killed.
    func git(_ arguments: String..., isInterrupted: () -> Bool = { Interruption.isRequested }) throws
      -> (status: Int32, output: String)
    {
      // git's file-watching daemon would hold the lock forever, and the user's hooks are not part of the commit.
      try Tool.run(
        "git", ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=\(places.path)/no-hooks"] + arguments,
        in: package,
        holding: lock.descriptor, isInterrupted: isInterrupted)
    }
    // This clean-up runs even after Ctrl-C. The second `--force` removes a locked work tree, which a killed checkout leaves.
    func remove() throws {
      _ = try git("worktree", "remove", "--force", "--force", source.path, isInterrupted: { false })
      try? FileManager.default.removeItem(at: area)
    }
    // The work tree of a check that was killed may still exist.
    try remove()
    progress("building \(self.name) …")
    defer { try? remove() }
    let added = try git("worktree", "add", "--detach", "--force", "--force", source.path, commit)
    guard added.status == 0 else {
      throw BaselineProblem("\(self.name) cannot be checked out: \(Self.reason(added.output)).")
    }
    if FileManager.default.fileExists(atPath: source.appendingPathComponent(".gitmodules").path) {
      progress("checking out the submodules of \(self.name) …")
      let modules = try git("-C", source.path, "submodule", "--quiet", "update", "--init", "--recursive")
      guard modules.status == 0 else {
        throw BaselineProblem(
          "the submodules of \(self.name) cannot be checked out: \(Self.reason(modules.output)).")
      }
    }
    let large = try git("-C", source.path, "ls-files", "-z", ":(attr:filter=lfs)").output.split(
      separator: "\0"
    )
    .map(String.init)
    let absent = large.filter { Self.isPointer($0, in: source) && !Self.isPointer($0, in: repository) }
    if let first = absent.first {
      let others = absent.count > 1 ? " and \(absent.count - 1) more" : ""
      throw BaselineProblem(
        "\(self.name) has files of Git LFS that are not here (\(first)\(others)): `git lfs install` and `git lfs fetch origin \(commit)` get them."
      )
    }
    // Links to the repository's neighbouring folders make dependencies by `../` work.
    for neighbour in (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? [] {
      try? FileManager.default.createSymbolicLink(
        at: area.appendingPathComponent(neighbour),
        withDestinationURL: beside.appendingPathComponent(neighbour))
    }
    let tooOld = BaselineProblem(
      "\(self.name) has no executable \(product) in \(package.path). Give a later commit, or run this in the folder of the executable's package."
    )
    let manifests = source.appendingPathComponent(prefix)
    // Without a Package.swift in the checkout, SwiftPM would build the user's package, whose folder encloses the checkout.
    guard FileManager.default.fileExists(atPath: manifests.appendingPathComponent("Package.swift").path)
    else {
      throw tooOld
    }
    try lent?.write(to: manifests.appendingPathComponent("Package.resolved"))
    for (index, built) in built.enumerated() {
      // All layouts share the compiled files, so only the first layout compiles.
      let options = layouts == 1 ? [] : Layouts.compilerOptions + Layouts.linkerOptions(seed: index + 1)
      let result = try Tool.run(
        "swift",
        [
          "build", "-c", "release", "--product", product, "--package-path", manifests.path,
          "--scratch-path", scratch,
        ] + options, holding: lock.descriptor)
      guard result.status == 0 else {
        throw result.output.contains("no product named '\(product)'")
          ? tooOld : BaselineProblem("\(self.name) does not build: \(Self.reason(result.output)).")
      }
      do {
        // Renamed when complete, because a later check would take a partial copy for the build.
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

  /// A hash of the toolchain and Package.resolved. It is part of the file names of built executables.
  private static func key(pins: Data?) throws -> String {
    // FNV-1a, because Swift's own hashes differ between processes.
    let hash = (try Tool.run("swift", ["--version"]).output.utf8 + (pins ?? Data())).reduce(
      UInt64(14_695_981_039_346_656_037)
    ) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return String(hash, radix: 36)
  }

  /// Whether Git LFS has left a pointer in place of the file's content.
  private static func isPointer(_ path: String, in folder: URL) -> Bool {
    let start = Data("version https://git-lfs.github.com/spec/v1".utf8)
    let file = try? FileHandle(forReadingFrom: folder.appendingPathComponent(path))
    return (try? file?.read(upToCount: start.count)) == start
  }

  /// The first error in a tool's output, preferably one with file and line. Some errors get advice.
  private static func reason(_ output: String) -> String {
    let lines = output.split(separator: "\n")
    let line =
      lines.first { $0.contains(/:[0-9]+:[0-9]+: error:/) }
      ?? lines.first { $0.contains("error:") || $0.hasPrefix("fatal:") } ?? lines.last
    let text = line?.trimmingCharacters(in: CharacterSet(charactersIn: ". ;")) ?? ""
    let advice: String? =
      if output.contains("safe.directory") {
        "`git config --global --add safe.directory PATH` lets git read another user's files"
      } else if output.contains("git-lfs") || output.contains("filter 'lfs'") {
        "install git-lfs"
      } else if output.contains("doesn't exist in file system") {
        "name a dependency outside the repository by URL or absolute path"
      } else { nil }
    return ([text.isEmpty ? "no reason given" : String(text.prefix(300))] + [advice].compactMap(\.self))
      .joined(separator: "; ")
  }
}

/// SwiftPM's state file of a build, which lists the packages that the build depends on by path.
private struct DependencyState: Decodable {
  private struct Object: Decodable {
    struct Dependency: Decodable {
      struct Reference: Decodable { let kind, location: String }
      let packageRef: Reference
    }
    let dependencies: [Dependency]
  }
  private let object: Object

  static func folders(_ scratch: String) -> [String] {
    let data = try? Data(contentsOf: URL(fileURLWithPath: scratch + "/workspace-state.json"))
    let state = try? data.map { try JSONDecoder().decode(Self.self, from: $0) }
    return state?.object.dependencies.map(\.packageRef).filter { $0.kind == "fileSystem" }.map(\.location)
      ?? []
  }

  /// Whether a file of a folder has changed since `date`, apart from hidden ones such as .build.
  static func isNewer(_ folder: String, than date: Date) -> Bool {
    let files = FileManager.default.enumerator(
      at: URL(fileURLWithPath: folder), includingPropertiesForKeys: [.contentModificationDateKey],
      options: .skipsHiddenFiles)
    return files?.contains { ($0 as? URL).flatMap(BuildAge.changed) ?? .distantPast > date } ?? false
  }
}

enum Tool {
  /// Runs a program and returns its exit status (127 if missing) and both outputs. Child processes inherit the descriptor `lock`.
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

/// A file lock that this process shares with its children. The kernel releases the lock when all of them have ended.
struct FileLock {
  let descriptor: Int32

  /// Waits until the lock is free. The file is never removed, because two processes could then lock two files of one name.
  init(_ path: String, waits: () -> Void, isInterrupted: () -> Bool) throws {
    try self.init(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644), path, waits: waits, isInterrupted)
  }

  /// Locks the folder that contains the file. The file itself will be replaced, so a lock on it would not last.
  init(folderOf path: String, isInterrupted: () -> Bool) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try self.init(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder, waits: {}, isInterrupted)
  }

  private init(_ opened: Int32, _ path: String, waits: () -> Void, _ isInterrupted: () -> Bool) throws {
    descriptor = opened
    if descriptor < 0 { throw FileProblem("cannot write \(path): \(String(cString: strerror(errno))).") }
    var isWaiting = false
    // This loop polls, because a signal such as Ctrl-C would not end a blocking `flock`.
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

  /// Closes this process's descriptor of the lock; call it once. Running child processes keep the lock.
  func release() { close(descriptor) }
}
