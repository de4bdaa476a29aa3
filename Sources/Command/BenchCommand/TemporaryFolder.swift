import Foundation
import Synchronization

/// Folders that are to be gone when the command has ended, also if the user has no patience.
///
/// For any thread.
enum TemporaryFolder {
  private static let paths = Mutex<Set<String>>([])

  /// The path of a new one, which is not there yet.
  static func path(_ stem: String) -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(stem)-\(UUID().uuidString)")
      .path
    adopt(path)
    return path
  }

  /// What the system says to a file in a folder; nil if it takes one.
  ///
  /// A file is made, for root is told that it may write wherever it asks.
  static func reasonNotToWrite(in folder: String) -> String? {
    let file = "\(folder)/fanout-\(UUID().uuidString)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    _ = close(descriptor)
    unlink(file)
    return nil
  }

  /// Has a folder removed that lies where the user wants it.
  static func adopt(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
    paths.withLock { _ = $0.remove(path) }
  }

  /// Before the process ends somewhere else than in `main`.
  static func removeAll() {
    for path in paths.withLock({ $0 }) {
      // Under another name: workers may be writing, and a folder that is being filled cannot be removed.
      let gone = path + "-gone"
      remove(rename(path, gone) == 0 ? gone : path)
      paths.withLock { _ = $0.remove(path) }
    }
  }
}
