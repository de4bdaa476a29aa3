import Foundation
import Harness

/// A program that every user of a package has: git, swift.
enum Tool {
  /// What it says on both of its outputs; a program that is missing ends with 127, as in a shell.
  ///
  /// - Parameters:
  ///   - lock: a descriptor that it and all that it starts hold, too.
  ///   - timeout: how long it may take; nil: no limit.
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
