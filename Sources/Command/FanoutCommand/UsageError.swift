import Verdicts
import Harness
import Results

/// An error that ends the command, with a sentence for the user and an exit code for scripts.
protocol CommandError: Error, CustomStringConvertible {
  var exitCode: ExitCode { get }
}

extension ResultsError: CommandError {
  var exitCode: ExitCode { if case .refused = self { .usage } else { .cannotReadOrWrite } }
}

extension RecordedProblem: CommandError {
  var exitCode: ExitCode { .noBaseline }
}

struct UsageError: CommandError {
  let description: String
  var exitCode: ExitCode { .usage }

  init(_ description: String) { self.description = description }

  /// Refuses to measure a debug build. `alternative` is what the user can give instead of building again.
  static func checkBuild(
    _ subcommand: Subcommand, allowsDebug: Bool,
    or alternative: String = "--allow-debug-build to try the command"
  ) throws {
    if Environment.isReleaseBuild || allowsDebug { return }
    throw UsageError(
      "this is a debug build, whose times mean nothing. Build with `swift run -c release \(CommandName.current) \(subcommand.name)`, or give \(alternative)."
    )
  }

  /// The error for an unknown name or a glob without a match. It suggests similar names, or lists known ones.
  static func unknown(_ kind: String, _ name: String, among names: [String]) -> UsageError {
    let isGlob = Glob(name).hasWildcard
    let nearest = [NearestName.of(name, among: names) ?? NearestName.meaning(name, among: names)]
    let meant = isGlob ? NearestName.like(name, among: names) : nearest.compactMap(\.self)
    let shown = kind == "option" ? names : Array(names.prefix(mostNames))
    let others = names.count > shown.count ? " and \(names.count - shown.count) more" : ""
    let hint =
      meant.isEmpty
      ? "Known: \(shown.joined(separator: ", "))\(others)." : "Did you mean \(meant.alternatives)?"
    return UsageError(
      isGlob ? "no \(kind) matches “\(name)”. \(hint)" : "unknown \(kind) “\(name)”. \(hint)")
  }

  private static let mostNames = 12
}

/// The error for a file that cannot be read or written.
struct FileProblem: CommandError {
  let description: String
  var exitCode: ExitCode { .cannotReadOrWrite }

  init(_ description: String) { self.description = description }
}

/// The error for a baseline that is missing or unusable.
typealias BaselineProblem = RecordedProblem

/// The error if the measurements cannot decide the check.
struct Undecidable: CommandError {
  let description: String
  var exitCode: ExitCode { .inconclusive }
}

/// Finds the name that the user probably meant.
enum NearestName {
  /// The only name with this prefix, apart from variants such as `futures/x`. Otherwise the name with the fewest edits: at most two, or a
  /// third of its length.
  static func of(_ name: String, among names: [String]) -> String? {
    let completions = names.filter { !name.isEmpty && $0.hasPrefix(name) }
    if let shortest = completions.min(by: { $0.count < $1.count }),
      completions.allSatisfy({ $0 == shortest || $0.hasPrefix(shortest + "/") })
    {
      return shortest
    }
    let near = names.map { (name: $0, distance: distance(name.lowercased(), $0.lowercased())) }
      .min { $0.distance < $1.distance }
    guard let near, near.distance <= max(2, near.name.count / 3) else { return nil }
    return near.name
  }

  /// The option with the same meaning here, if the user gave an option that only another subcommand has.
  static func meaning(_ name: String, among names: [String]) -> String? {
    let lengths = ["--budget", "--duration"]
    return lengths.contains(name) ? lengths.first(where: names.contains) : nil
  }

  /// At most three known names that the glob would match after the fewest edits.
  static func like(_ glob: String, among names: [String]) -> [String] {
    guard glob.utf8.count <= RecordName.mostBytes else { return [] }
    let near = names.map { (name: $0, distance: distance(glob.lowercased(), $0.lowercased(), isGlob: true)) }
    guard let least = near.map(\.distance).min(), least <= max(2, glob.count { $0 != "*" } / 3) else {
      return []
    }
    return near.filter { $0.distance == least }.prefix(3).map(\.name)
  }

  /// The Levenshtein distance: the number of insertions, deletions and replacements. If `a` is a glob, each `*` matches anything.
  static func distance(_ a: String, _ b: String, isGlob: Bool = false) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for character in a {
      let edit = isGlob && character == "*" ? 0 : 1
      var diagonal = row[0]
      row[0] += edit
      for j in b.indices {
        let replaced = diagonal + (character == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + edit, diagonal + edit)
      }
    }
    return row[b.count]
  }
}
