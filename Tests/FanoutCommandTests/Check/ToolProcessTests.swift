import Foundation
import TestSupport
import Testing

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct ToolProcessTests {
  private let scratch = Scratch()

  private func shell(_ script: String) throws -> ToolProcess {
    try ToolProcess("sh", ["-c", script], in: scratch.folder)
  }

  /// - Parameter grace: zero unless it matters: a shell may miss the signal while it starts a program.
  private func wait(
    _ child: ToolProcess, timeout: Duration = .seconds(60), limitBytes: Int = 1 << 20,
    grace: Duration = .zero, isInterrupted: () -> Bool = { false }
  ) throws -> (status: Int32, output: String) {
    try child.wait(timeout: timeout, limitBytes: limitBytes, grace: grace, isInterrupted: isInterrupted)
  }

  /// Waits until init has reaped the killed orphans, which can take a while.
  private func expectNoProcess(in child: ToolProcess) {
    while kill(-child.identifier, 0) == 0 { sched_yield() }
    #expect(errno == ESRCH)
  }

  @Test(
    arguments: [
      ("printf out; printf err >&2; exit 3", 3, "outerr"), ("pwd", 0, nil), ("kill -KILL $$", 137, ""),
      // Neither input nor a terminal.
      ("cat; (: < /dev/tty) 2> /dev/null || printf alone", 0, "alone"),
    ] as [(String, Int32, String?)])
  func `a tool's status and output are returned`(script: String, status: Int32, output: String?) throws {
    let child = try shell(script)
    let result = try wait(child)
    #expect(result.status == status)
    let folder = scratch.folder.resolvingSymlinksInPath().path + "\n"
    #expect(result.output == output ?? folder)
    expectNoProcess(in: child)
  }

  @Test func `output larger than a pipe is returned whole`() throws {
    let result = try wait(shell("head -c 300000 /dev/zero | tr '\\0' x"))
    #expect(result.output.utf8.count == 300_000)
    #expect(result.output.allSatisfy { $0 == "x" })
  }

  @Test(arguments: ["no-such-program", "/nowhere/program", "name=value"])
  func `a missing program ends with status 127`(command: String) throws {
    let result = try wait(ToolProcess(command, ["-x"]))
    #expect(result.status == 127)
    #expect(result.output.contains(command))
  }

  @Test func `a tool that prints without end is stopped`() throws {
    // Two processes: the one that prints is a child of the one that was started.
    let child = try shell("yes; :")
    #expect(throws: ToolProcess.Failure.tooMuchOutput(limitBytes: 1 << 20)) { try wait(child) }
    expectNoProcess(in: child)
  }

  @Test func `a tool that does not end in time is stopped`() throws {
    let child = try shell("sleep 1000; :")
    #expect(throws: ToolProcess.Failure.silent(timeout: .zero)) { try wait(child, timeout: .zero) }
    expectNoProcess(in: child)
  }

  @Test func `a tool that ignores signals is killed with its children`() throws {
    let child = try shell("trap '' INT TERM; sleep 1000 & : > ready; sleep 1000; wait")
    #expect(throws: ToolProcess.Failure.interrupted) {
      try wait(child, isInterrupted: { scratch.has("ready") })
    }
    expectNoProcess(in: child)
  }

  /// The calling thread may block every signal, as Dispatch's threads do.
  @Test func `a tool that handles the signal may end by itself`() throws {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let child = try shell("trap ': > asked; exit' INT; : > ready; while :; do read line < /dev/null; done")
    #expect(throws: ToolProcess.Failure.interrupted) {
      try wait(child, grace: .seconds(60), isInterrupted: { scratch.has("ready") })
    }
    #expect(scratch.has("asked"))
    expectNoProcess(in: child)
  }

  @Test func `a background child does not delay the result`() throws {
    let child = try shell("sleep 1000 & echo done")
    #expect(try wait(child).output == "done\n")
    expectNoProcess(in: child)
  }

  @Test func `a tool inherits no descriptor but the lock it holds`() throws {
    let descriptor = fcntl(STDERR_FILENO, F_DUPFD, 60)
    defer { close(descriptor) }
    #expect(try wait(shell("[ -e /dev/fd/\(descriptor) ] || printf closed")).output == "closed")
    let (lock, ours) = (ToolProcess.lockDescriptor, scratch.path("lock"))
    #expect(try wait(shell("[ -e /dev/fd/\(lock) ] || printf closed")).output == "closed")
    let held = try FileLock(ours, waits: {}, isInterrupted: { false })
    defer { held.release() }
    let holder = try ToolProcess(
      "sh", ["-c", "[ -e /dev/fd/\(lock) ] && printf open"], holding: held.descriptor)
    #expect(try wait(holder).output == "open")
  }

  private var path: String { scratch.path("lock") }

  private func isHeld() throws -> Bool {
    do {
      try FileLock(path, waits: {}, isInterrupted: { true }).release()
      return false
    } catch is Interrupted { return true }
  }

  @Test func `a waiting process reports it once and then holds the lock`() throws {
    let first = try FileLock(path, waits: { Issue.record("the lock is free") }, isInterrupted: { false })
    var (reports, polls) = (0, 0)
    let second = try FileLock(path) {
      reports += 1
    } isInterrupted: {
      polls += 1
      if polls == 3 { first.release() }
      return false
    }
    #expect(reports == 1)
    second.release()
  }

  @Test func `a folder lock leaves no file`() throws {
    let first = try FileLock(folderOf: path, isInterrupted: { false })
    #expect(throws: Interrupted.self) { try FileLock(folderOf: path, isInterrupted: { true }) }
    first.release()
    // A process that another test starts may hold it for a moment.
    try FileLock(folderOf: path, isInterrupted: { false }).release()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
  }

  @Test func `a child holds the lock after its parent releases it`() throws {
    let lock = try FileLock(path, waits: {}, isInterrupted: { false })
    #expect(mkfifo(scratch.path("end"), 0o600) == 0)
    let child = try ToolProcess(
      "sh", ["-c", "read line < end"], in: scratch.folder, holding: lock.descriptor)
    lock.release()
    #expect(try isHeld())

    try Data("\n".utf8).write(to: scratch.folder.appendingPathComponent("end"))
    _ = try child.wait(timeout: .seconds(60), limitBytes: 1 << 20, isInterrupted: { false })
    // A process that another test starts may hold it for a moment.
    try FileLock(path, waits: {}, isInterrupted: { false }).release()
  }

  @Test func `a path that cannot be written is refused`() {
    let error = #expect(throws: FileProblem.self) {
      try FileLock("/nowhere/lock", waits: {}, isInterrupted: { false })
    }
    #expect(error?.description.hasPrefix("cannot write /nowhere/lock: ") == true)
  }
}

/// A repository with a package whose executable lists a contender, as every build of the command does.
private final class Repository {
  private let scratch = Scratch()
  var folder: URL { scratch.folder }

  init() throws {
    try write(
      "Package.swift",
      """
      // swift-tools-version: 6.1
      import PackageDescription
      let package = Package(name: "p", targets: [.executableTarget(name: "b", path: "b")])
      """)
    try write(
      "b/main.swift",
      #"print("{\"contenders\": [{\"name\": \"first\"}], \"scenarios\": [{\"name\": \"s\"}]}")"#)
    try write(".gitignore", ".build")
    try git("init", "--quiet")
    try commit("one")
  }

  func write(_ path: String, _ text: String) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  @discardableResult func git(_ arguments: String...) throws -> String {
    let result = try Tool.run(
      "git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"] + arguments,
      in: folder)
    #expect(result.status == 0, "\(result.output)")
    return result.output
  }

  func commit(_ message: String) throws {
    try git("add", "--all")
    try git("commit", "--quiet", "--message", message)
  }

  func other(_ text: String, allowsDirty: Bool = false) throws -> OtherBuild {
    try OtherBuild(text, product: "b", folder: folder, allowsDirty: allowsDirty)
  }
}

@Suite(.ownThread(minutes: 10)) struct OtherBuildTests {
  @Test func `a commit is built once and the work tree is left alone`() throws {
    let repository = try Repository()
    try repository.write(
      "b/main.swift", #"print("{\"contenders\": [{\"name\": \"second\"}], \"scenarios\": []}")"#)
    try repository.commit("two")
    let build = try repository.other("HEAD~1")
    #expect(build.name.hasPrefix("HEAD~1 ("))
    #expect(build.contenders == ["first"])
    #expect(build.scenarios == ["s"])
    #expect(try repository.git("status", "--porcelain") == "")
    #expect(try repository.git("worktree", "list").split(separator: "\n").count == 1)

    // A kept build is used again, whatever happens to the commit's files.
    let kept = build.executable
    try Program.writeScript(
      "#!/bin/sh\necho '{\"contenders\": [{\"name\": \"kept\"}], \"scenarios\": []}'\n", at: kept.path)
    #expect(try repository.other("HEAD~1").contenders == ["kept"])
    // A branch may have a folder's name.
    try repository.git("branch", "b", "HEAD~1")
    #expect(try repository.other("b").contenders == ["kept"])
  }

  @Test func `a commit that does not build is refused with its first error`() throws {
    let repository = try Repository()
    try repository.write("Package.swift", "// swift-tools-version: 6.1\nimport Nothing\n")
    try repository.commit("two")
    let error = #expect(throws: BaselineProblem.self) { try repository.other("HEAD") }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("HEAD ("), "\(text)")
    #expect(text.contains(") does not build: "), "\(text)")
    #expect(text.contains("Nothing"), "\(text)")
    #expect(!text.contains("\n"))
    #expect(try repository.git("worktree", "list").split(separator: "\n").count == 1)
  }

  @Test func `a work tree with changes is refused unless they are allowed`() throws {
    let repository = try Repository()
    try repository.write("b/main.swift", "print(0)")
    try repository.write("new.swift", "")
    let error = #expect(throws: UsageError.self) { try repository.other("HEAD") }
    #expect(
      error?.description
        == "the work tree has uncommitted changes (b/main.swift and 1 more), so this build belongs to no commit. "
        + "Commit or stash them, or give --allow-dirty to check it as it is.")
    #expect(try repository.other("HEAD", allowsDirty: true).contenders == ["first"])
  }

  @Test func `text that is neither an executable nor a commit is refused`() throws {
    let repository = try Repository()
    func problem(_ text: String) -> String? {
      #expect(throws: BaselineProblem.self) { try repository.other(text) }?.description
    }
    #expect(
      problem("nonsense")
        == "nonsense is neither an executable nor a commit. `git log --oneline` shows commits.")
    #expect(problem("--all")?.hasPrefix("--all is neither") == true)
    #expect(problem("b") == "b is a directory. Give --against an executable or a commit.")
    #expect(
      problem("b/main.swift") == "b/main.swift is not executable. Give --against an executable or a commit.")
    #expect(problem("/bin/echo") == "/bin/echo is no build of this command: it does not list its contenders.")
  }

  @Test func `a commit that is too old is refused with what it lacks`() throws {
    let repository = try Repository()
    try repository.write("b/main.swift", "print(0)")
    try repository.commit("a command without contenders")
    try repository.git("rm", "--quiet", "Package.swift")
    try repository.git("commit", "--quiet", "--message", "no package")
    try repository.git("checkout", "--quiet", "HEAD~1")
    func problem(_ text: String) -> String? {
      let problem = #expect(throws: BaselineProblem.self) { try repository.other(text) }?.description
      return problem?.split(separator: " ", maxSplits: 1).last.map(String.init)
    }
    let names = try repository.git("rev-list", "--topo-order", "--all").split(separator: "\n").map(
      String.init)
    #expect(
      problem(names[0])?.hasPrefix("has no executable b in \(repository.folder.path). Give a later commit")
        == true)
    #expect(
      problem(names[1])
        == "is too old: its b does not list its contenders. Give a later commit.")
  }

  @Test func `an executable that does not answer in time is refused`() throws {
    let scratch = Scratch()
    let silent = scratch.path("silent")
    try Program.writeScript("#!/bin/sh\nsleep 1000\n", at: silent)
    let error = #expect(throws: BaselineProblem.self) { try OtherBuild(silent, timeout: .zero) }
    #expect(
      error?.description
        == "`\(silent) list --format json` did not end within 0 s. Give --against a build of this command, or a commit."
    )
  }

  @Test func `a commit outside a repository is refused`() throws {
    let scratch = Scratch()
    let error = #expect(throws: BaselineProblem.self) { try OtherBuild("HEAD", folder: scratch.folder) }
    #expect(error?.description.hasPrefix("HEAD is not an executable, and git finds no commit: ") == true)
  }
}
