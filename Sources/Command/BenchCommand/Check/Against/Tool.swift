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

/// A file that one process at a time holds, together with the children that it hands the descriptor to.
///
/// It is free once all of them have ended or closed it, however they end.
struct FileLock {
  let descriptor: Int32

  /// Waits until nobody else holds it.
  ///
  /// - Parameters:
  ///   - path: made if it does not exist; never removed, or two could hold locks of one name.
  ///   - waits: called once, if somebody holds it.
  ///   - isInterrupted: asked ten times a second.
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
