import Foundation

/// Whether an executable is of the sources that lie beside it now, or of older ones: then its name misleads.
enum BuildAge {
  /// What is to be said if a source that is linked into this executable was changed since; nil if none was, or if it was
  /// copied away from where it was built. Looked up once: that reads what all of the sources' folders hold.
  static let remark = remark(
    of: WorkerCommand.executable.resolvingSymlinksInPath(), sources: SourceLines.sources)

  static func remark(of executable: URL, sources: URL) -> String? {
    // The package manager's list of what it linked.
    let list = executable.deletingLastPathComponent()
      .appendingPathComponent("\(executable.lastPathComponent).product/Objects.LinkFileList")
    guard let built = changed(executable), let objects = try? String(contentsOf: list, encoding: .utf8),
      let files = FileManager.default.enumerator(
        at: sources, includingPropertiesForKeys: [.contentModificationDateKey])
    else { return nil }
    let linked = Set(objects.split(whereSeparator: \.isNewline).compactMap { $0.split(separator: "/").last })
    for case let file as URL in files
    where linked.contains("\(file.lastPathComponent).o") || file.pathExtension == "h" {
      guard let date = changed(file), date > built else { continue }
      let name = file.pathComponents.dropFirst(sources.pathComponents.count - 1).joined(separator: "/")
      return "This executable is older than \(name), so it is not what the sources say: build it anew."
    }
    return nil
  }

  private static func changed(_ file: URL) -> Date? {
    try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
  }
}
