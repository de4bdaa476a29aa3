/// Something on the command line that cannot be followed: what, and what to write instead.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Times were asked of a debug build.
  ///
  /// - Parameter alternative: what to give instead of building anew.
  static func debugBuild(
    _ subcommand: Subcommand, or alternative: String = "--allow-debug-build to see the mechanics"
  ) -> UsageError {
    UsageError(
      "this is a debug build, whose times say nothing. Build with `swift run -c release \(CommandName.current) \(subcommand.rawValue)`, or give \(alternative)."
    )
  }

  /// A name that is not known; the nearest one is offered, or all of them if none is near.
  static func unknown(_ kind: String, _ name: String, among names: [String]) -> UsageError {
    let hint =
      NearestName.of(name, among: names).map { "Did you mean \($0)?" }
      ?? "Known: \(names.joined(separator: ", "))."
    return UsageError("unknown \(kind) “\(name)”. \(hint)")
  }
}

/// A place that cannot be read or written: which, and what to do.
struct FileProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
