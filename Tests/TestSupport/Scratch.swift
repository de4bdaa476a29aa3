import Foundation

/// A temporary folder, removed on release.
package final class Scratch: Sendable {
  package let folder: URL
  package var path: String { folder.path }

  package init() {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanout-\(UUID().uuidString)")
    try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// Returns the file's path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    return path(name)
  }
}
