import Foundation
import Results

/// The build that a check compares this build with.
struct OtherBuild {
  let name: String
  /// One executable, or with `--layouts` several that differ in the order of functions.
  let executables: [URL]
  let contenders: Set<String>
  let scenarios: Set<String>
  var runtimes: Set<String> = []
  var operations: Set<String> = []

  var executable: URL { executables[0] }
}

extension OtherBuild {
  /// - Parameter text: an executable, or any text that git accepts as a commit.
  init(
    _ text: String, product: String = CommandName.current, folder: URL = URL(fileURLWithPath: "."),
    allowsDirty: Bool = false, layouts: Int = 1, timeout: Duration = .seconds(20),
    progress: (String) -> Void = { _ in }
  ) throws {
    let file = text.hasPrefix("/") ? URL(fileURLWithPath: text) : folder.appendingPathComponent(text)
    if let reason = SystemReason.ofHiding(file.path), reason == String(cString: strerror(EACCES)) {
      throw ResultsError.cannotRead(path: text, reason: reason)
    }
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue {
      guard FileManager.default.isExecutableFile(atPath: file.path) else {
        throw BaselineProblem("\(text) is not executable. Give --against an executable or a commit.")
      }
      guard layouts == 1 else {
        throw UsageError(
          "--layouts links a commit several times, and \(text) is an executable: give --against a commit.")
      }
      (name, executables) = (Self.shortName(of: text), [file])
    } else {
      let source: CommitSource
      do { source = try CommitSource(text, folder: folder) } catch let problem as BaselineProblem {
        // A name of a folder may also be that of a branch, which git prefers. So the folder is an error only if there is no branch.
        guard isDirectory.boolValue else { throw problem }
        throw BaselineProblem("\(text) is a directory. Give --against an executable or a commit.")
      }
      if !allowsDirty { try source.refuseChanges() }
      name = source.name
      executables = try source.build(product, layouts: layouts, progress: progress)
    }
    guard let listing = try Self.listing(of: executables[0], timeout) else {
      throw BaselineProblem(
        executables == [file]
          ? "\(name) is no build of this command: it does not list its contenders."
          : "\(name) is too old: its \(product) does not list its contenders. Give a later commit."
      )
    }
    contenders = Set((listing.contenders + (listing.variants ?? [])).map(\.name))
    scenarios = Set(listing.scenarios.map(\.name))
    runtimes = Set((listing.runtimes ?? []).map(\.name))
    operations = Set((listing.operations ?? []).map(\.name))
  }

  /// The path, or only its last component if the path is too long for a sentence.
  static func shortName(of path: String) -> String {
    guard path.count > 32, let last = path.split(separator: "/").last else { return path }
    return "…/\(last)"
  }

  private struct Listing: Decodable {
    struct Entry: Decodable { let name: String }
    let contenders: [Entry]
    let variants: [Entry]?
    let scenarios: [Entry]
    let runtimes: [Entry]?
    let operations: [Entry]?
  }

  /// What the build can measure. `nil` if it is no build of this command.
  private static func listing(of executable: URL, _ timeout: Duration) throws -> Listing? {
    do {
      let result = try Tool.run(executable.path, ["list", "--format", "json"], timeout: timeout)
      // With this exit code, the build could not write its output to a temporary file, so its own error text is lost.
      if result.status == ExitCode.cannotReadOrWrite.rawValue {
        throw FileProblem(
          "\(executable.lastPathComponent) cannot write the list of its contenders: is there room in \(FileManager.default.temporaryDirectory.path)?"
        )
      }
      return result.status == 0
        ? try? JSONDecoder().decode(Listing.self, from: Data(result.output.utf8)) : nil
    } catch let problem as BaselineProblem {
      throw BaselineProblem("\(problem) Give --against a build of this command, or a commit.")
    }
  }
}
