import Foundation

/// The executable beside this one that can upload over HTTP.
///
/// URLSession brings some thirty libraries along. Whoever does not ask for `http` neither loads them nor has them in the
/// memory that is measured, so they have an executable of their own.
enum HTTPBuild {
  static let name = "bench-http"

  /// Goes on as that executable, with the same command line; returns only by throwing.
  static func takeOver() throws -> Never {
    let sibling = WorkerCommand.executable.deletingLastPathComponent().appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: sibling.path) else {
      throw UsageError(
        "\(CommandName.current) itself cannot upload over HTTP, and \(name) is not built. Build it with "
          + "`swift build -c release --product \(name)`, and give the same command again.")
    }
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv(sibling.path, &arguments)
    throw FileProblem("cannot start \(sibling.path): \(String(cString: strerror(errno))).")
  }
}
