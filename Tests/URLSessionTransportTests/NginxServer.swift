import Foundation
import Testing

/// The server that `Scripts/upload-server` starts, in a folder of its own.
final class NginxServer: Sendable {
  /// Why a test that needs it is skipped.
  static let missing: Comment = "nginx is not installed (on Debian: apt-get install nginx-light)"
  static var isInstalled: Bool {
    ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/nginx")
    }
  }

  let url: String
  let store: String
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("nginx-\(UUID().uuidString)").path
    store = "\(folder)/store"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let said = try Self.script(["start", "--store", store], in: folder)
    let line = said.split(separator: "\n").first { $0.hasPrefix("endpoint") } ?? ""
    url = line.split(separator: " ").last.map(String.init) ?? ""
  }

  /// Ends it with all its connections; what is stored stays.
  func kill() throws { _ = try Self.script(["stop"], in: folder) }

  /// Starts it again where it was.
  func comeBack() throws {
    let port = url.split(separator: ":").last.map(String.init) ?? ""
    _ = try Self.script(["start", "--port", port, "--store", store], in: folder)
  }

  func remove() {
    _ = try? Self.script(["stop"], in: folder)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private struct Refusal: Error { let said: String }

  private static func script(_ arguments: [String], in folder: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let process = Process()
    // Foundation learns that a process has ended by a descriptor that it inherits, and so would the server, which stays.
    let closing =
      #"for f in /dev/fd/*; do n=${f##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done; exec "$0" "$@""#
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments =
      ["-c", closing, root.appendingPathComponent("Scripts/upload-server").standardized.path] + arguments
    var environment = ProcessInfo.processInfo.environment
    environment["FANOUT_UPLOAD_SERVER"] = "\(folder)/server"
    process.environment = environment
    // A file and no pipe: the server keeps it open for as long as it runs.
    let path = "\(folder)/said.txt"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    let said = try String(contentsOfFile: path, encoding: .utf8)
    guard process.terminationStatus == 0 else { throw Refusal(said: said) }
    return said
  }
}
