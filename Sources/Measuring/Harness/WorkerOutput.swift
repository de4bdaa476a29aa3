import Foundation

/// Where a worker's words to its parent go: to its standard output as it was started with, which nobody else writes to.
///
/// What a contender prints goes to standard error, so that it is no garbled sample.
public enum WorkerOutput {
  private static let handle: FileHandle = {
    let words = dup(STDOUT_FILENO)
    guard words >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return .standardOutput }
    return FileHandle(fileDescriptor: words)
  }()

  /// Takes standard output; before anybody prints.
  public static func claim() { _ = handle }

  /// Says one line, which has no line feed yet.
  public static func say(_ line: Data) throws { try handle.write(contentsOf: line + Data("\n".utf8)) }
}
