import Foundation

/// An external program.
package enum Program {
  /// Whether it exists and exits with 0.
  package static func runs(_ command: [String]) -> Bool { (try? run(command))?.status == 0 }

  /// Returns the exit status and both outputs.
  package static func run(_ command: [String]) throws -> (status: Int32, output: String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// Writes a script that can run at once. Another process writes it: a child of another test could inherit this process's open
  /// file, and the system runs no file that is open for writing.
  package static func writeScript(_ text: String, at path: String) throws {
    _ = try run(["sh", "-c", #"printf '%s' "$1" > "$0" && chmod 755 "$0""#, path, text])
  }
}
