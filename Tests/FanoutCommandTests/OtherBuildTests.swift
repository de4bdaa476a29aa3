import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

/// A repository of its own with a package whose executable lists a contender, as any build of the command does.
private final class Repository {
  private let scratch: Scratch
  var folder: URL { scratch.folder }

  init() throws {
    scratch = try Scratch()
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
  @Test(arguments: [
    ("HEAD~1", "HEAD~1"), (".build/release/bench", ".build/release/bench"),
    ("/home/someone/projects/fanout/.build/release/bench", "…/bench"),
  ])
  func `a long path is shortened to its end`(path: String, name: String) {
    #expect(OtherBuild.shortName(of: path) == name)
  }

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

    // What is kept is taken again, whatever has become of the commit's files.
    let kept = build.executable
    try Program.writeScript(
      "#!/bin/sh\necho '{\"contenders\": [{\"name\": \"kept\"}], \"scenarios\": []}'\n", at: kept.path)
    #expect(try repository.other("HEAD~1").contenders == ["kept"])
    // A branch may be called as a folder is.
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
        == "the work tree has changes that no commit has (b/main.swift and 1 more), so this build cannot be named. "
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
    // No option of git's, whatever it is called.
    #expect(problem("--all")?.hasPrefix("--all is neither") == true)
    #expect(problem("b") == "b is a directory. Give --against an executable or a commit.")
    #expect(
      problem("b/main.swift")
        == "b/main.swift is not executable. Give --against an executable or a commit.")
    #expect(
      problem("/bin/echo") == "/bin/echo is no build of this command: it does not list its contenders.")
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
    let start = "is too old for this: "
    #expect(problem(names[0]) == start + "it has no executable b yet. Give a later commit.")
    #expect(problem(names[1]) == start + "its b does not list its contenders. Give a later commit.")
  }

  @Test func `an executable that does not answer in time is refused`() throws {
    let scratch = try Scratch()
    let silent = scratch.path("silent")
    try Program.writeScript("#!/bin/sh\nsleep 1000\n", at: silent)
    let error = #expect(throws: BaselineProblem.self) { try OtherBuild(silent, timeout: .zero) }
    #expect(
      error?.description
        == "`\(silent) list --format json` did not end within 0 s. Give --against a build of this command, or a commit."
    )
  }

  @Test func `a commit outside a repository is refused`() throws {
    let scratch = try Scratch()
    let error = #expect(throws: BaselineProblem.self) { try OtherBuild("HEAD", folder: scratch.folder) }
    #expect(error?.description.hasPrefix("HEAD is no executable, and no commit can be looked up: ") == true)
  }
}
