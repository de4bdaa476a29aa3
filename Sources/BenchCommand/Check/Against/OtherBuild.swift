import Foundation

/// The build that a check compares this one with.
struct OtherBuild {
  /// What the user calls it, or the commit it was built from.
  let name: String
  let executable: URL
  /// Whom and what it can measure.
  let contenders: Set<String>
  let scenarios: Set<String>

  /// - Parameter text: an executable, or whatever git takes for a commit: that is built, once, in a worktree of its own.
  init(_ text: String, progress: (String) -> Void) throws {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isDirectory)
    if exists, !isDirectory.boolValue {
      guard FileManager.default.isExecutableFile(atPath: text) else {
        throw BaselineProblem("\(text) is not executable. Give --against an executable or a commit.")
      }
      (name, executable) = (text, URL(fileURLWithPath: text))
    } else {
      let commit = try Self.commit(text)
      name = commit == text || text.count > 20 ? String(commit.prefix(12)) : "\(text) (\(commit.prefix(12)))"
      executable = try Self.build(commit, progress: progress)
    }
    guard let listing = Self.listing(of: executable) else {
      throw BaselineProblem("\(name) is no build of this command: it does not list whom it can measure.")
    }
    contenders = Set((listing.contenders + (listing.variants ?? [])).map(\.name))
    scenarios = Set(listing.scenarios.map(\.name))
  }

  private static func commit(_ text: String) throws -> String {
    let result = try run("git", ["rev-parse", "--verify", "--quiet", "--end-of-options", text + "^{commit}"])
    guard result.status == 0, let commit = result.output.split(separator: "\n").first else {
      throw BaselineProblem(
        "\(text) is neither an executable nor a commit. `git log --oneline` shows commits.")
    }
    return String(commit)
  }

  /// One for each commit and toolchain; the intermediate files are shared, so that the next commit is built faster.
  private static func build(_ commit: String, progress: (String) -> Void) throws -> URL {
    let toolchain = try run("swift", ["--version"]).output
    let places = URL(fileURLWithPath: ".build/check", isDirectory: true)
    let key = String(
      toolchain.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 },
      radix: 36)
    let built = places.appendingPathComponent("\(commit)-\(key)")
    if FileManager.default.isExecutableFile(atPath: built.path) { return built }

    let source = places.appendingPathComponent("source").path
    func remove() throws { _ = try run("git", ["worktree", "remove", "--force", source]) }
    try remove()
    try? FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    progress("building \(commit.prefix(12)) …")
    let added = try run("git", ["worktree", "add", "--detach", "--force", source, commit])
    guard added.status == 0 else {
      throw BaselineProblem("commit \(commit.prefix(12)) cannot be checked out: \(firstError(added.output)).")
    }
    defer { try? remove() }
    let scratch = places.appendingPathComponent("build").path
    let arguments = [
      "build", "-c", "release", "--product", CommandName.current, "--package-path", source, "--scratch-path",
      scratch,
    ]
    let result = try run("swift", arguments)
    guard result.status == 0 else {
      throw BaselineProblem("commit \(commit.prefix(12)) does not build: \(firstError(result.output)).")
    }
    let product = URL(fileURLWithPath: "\(scratch)/release/\(CommandName.current)")
    do { try FileManager.default.copyItem(at: product, to: built) } catch {
      throw FileProblem("cannot keep the build of \(commit.prefix(12)): \(error.localizedDescription)")
    }
    return built
  }

  private static func firstError(_ output: String) -> String {
    let lines = output.split(separator: "\n")
    return String(
      lines.first { $0.contains("error:") || $0.hasPrefix("fatal:") } ?? lines.last ?? "no reason given")
  }

  private struct Listing: Decodable {
    struct Entry: Decodable { let name: String }
    let contenders: [Entry]
    let variants: [Entry]?
    let scenarios: [Entry]
  }

  private static func listing(of executable: URL) -> Listing? {
    guard let result = try? run(executable.path, ["list", "--format", "json"]), result.status == 0 else {
      return nil
    }
    return try? JSONDecoder().decode(Listing.self, from: Data(result.output.utf8))
  }

  /// What a command says on both of its outputs.
  private static func run(_ command: String, _ arguments: [String]) throws -> (status: Int32, output: String)
  {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// There is nothing to compare with: which, and what to do.
struct BaselineProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
