import Foundation

/// A program that every user of a package has: git, swift.
enum Tool {
  /// What it says on both of its outputs; a program that is missing ends with 127, as in a shell.
  static func run(_ command: String, _ arguments: [String], in folder: URL? = nil) throws
    -> (status: Int32, output: String)
  {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
