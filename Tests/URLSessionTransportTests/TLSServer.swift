import Foundation

/// A server that speaks TLS with a certificate that no authority of the system has signed, and writes down what it is sent.
final class TLSServer: Sendable {
  /// Why a test that needs it is skipped.
  static let missing = "openssl is not installed (on Debian: apt-get install openssl)"
  static let openssl = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/openssl" }.first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  let port: Int
  private let folder: String
  private let process: Process

  /// - Parameter name: whom the certificate is for, as its extension has it.
  init(certifiedFor name: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (key, certificate) = ("\(folder)/key.pem", "\(folder)/certificate.pem")
    let making = try Self.start(
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=nobody", "-addext"]
        + ["subjectAltName=\(name)", "-keyout", key, "-out", certificate], saying: "\(folder)/made.txt")
    making.waitUntilExit()
    process = try Self.start(
      ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"],
      saying: "\(folder)/said.txt")
    var port: Int?
    let said = "\(folder)/said.txt"
    _ = comesTrue {
      let line = try? String(contentsOfFile: said, encoding: .utf8).split(separator: "\n").first {
        $0.hasPrefix("ACCEPT ")
      }
      port = line.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
      return port != nil
    }
    guard let port else { throw NoServer() }
    self.port = port
  }

  private struct NoServer: Error {}

  /// What it has been sent, and what it has to say about itself.
  var said: String { (try? String(contentsOfFile: "\(folder)/said.txt", encoding: .utf8)) ?? "" }

  func stop() {
    // The one that cannot be held back: a process inherits which signals are.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func start(_ arguments: [String], saying path: String) throws -> Process {
    guard let openssl else { throw NoServer() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: openssl)
    process.arguments = arguments
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}
