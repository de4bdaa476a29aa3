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
