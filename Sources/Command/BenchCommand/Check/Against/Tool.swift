import Foundation

/// A program that every user of a package has: git, swift.
enum Tool {
  /// What it says on both of its outputs; a program that is missing ends with 127, as in a shell.
  ///
  /// - Parameters:
  ///   - lock: a descriptor that it and all that it starts hold, too.
  ///   - patience: how long it may take; nil: for ever.
  /// - Throws: `Interrupted`, or `BaselineProblem` if it does not end or prints without end.
  static func run(
    _ command: String, _ arguments: [String], in folder: URL? = nil, holding lock: Int32? = nil,
    patience: Duration? = nil, isInterrupted: () -> Bool = { Interruption.isRequested }
  ) throws -> (status: Int32, output: String) {
    let child = try ChildProcess(command, arguments, in: folder, holding: lock)
    do {
      return try child.wait(patience: patience, limitBytes: 64 << 20, isInterrupted: isInterrupted)
    } catch let stop as ChildProcess.Stop {
      throw BaselineProblem("`\(([command] + arguments).joined(separator: " "))` \(stop).")
    }
  }
}
