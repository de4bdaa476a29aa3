import Foundation
import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct PermissionsTests {
  @Test func `a command is installed if a folder of the path has it`() {
    #expect(Permissions.isInstalled("sh", path: "/nowhere:/bin"))
    #expect(!Permissions.isInstalled("sh", path: "/nowhere:"))
    // A file that cannot be executed is no command.
    #expect(!Permissions.isInstalled("passwd", path: "/etc"))
  }

  @Test func `every requested command is recorded`() {
    var record = MachineRecord()
    Permissions.record(into: &record, commands: ["sh", "no-such-command-anywhere"])
    #expect(record.commands == ["sh": true, "no-such-command-anywhere": false])
    #expect(record.isRealTimePermitted == Placement.realTime.isPermitted)
  }

  #if os(Linux)
    private static let tries = 5_000

    /// Of what may be read and written and has no name: where a page that was not given back would be.
    private static func nameless() throws -> Int {
      try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n").reduce(0) {
        sum, line in
        let fields = line.split(separator: " ")
        guard fields.count == 5, fields[1] == "rw-p" else { return sum }
        let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
        return sum + bounds[1] - bounds[0]
      }
    }

    private static func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// By how much something grows while everything is tried again and again, with what other tests do meanwhile; the
    /// least of three.
    private static func growth(of count: () throws -> Int) throws -> Int {
      try (0..<3).map { _ in
        let before = try count()
        var record = MachineRecord()
        for _ in 0..<tries { Permissions.record(kernelInto: &record) }
        return try count() - before
      }.min()!
    }

    @Test func `trying permissions leaks neither descriptors nor memory`() throws {
      #expect(try Self.growth(of: Self.descriptors) < Self.tries / 2)
      #expect(try Self.growth(of: Self.nameless) < Self.tries * 4_096 / 2)
    }
  #endif
}

@Suite(.ownThread) struct LatencyRequestTests {
  @Test func `a refusal says what the request needs`() {
    let absent = #expect(throws: LatencyRequest.Refused.self) {
      try LatencyRequest(path: "/absent/latency", isSupported: true)
    }
    #expect(absent?.description.hasPrefix("it needs /absent/latency, which is not there") == true)
    let elsewhere = #expect(throws: LatencyRequest.Refused.self) {
      try LatencyRequest(path: "/dev/latency", isSupported: false)
    }
    #expect(elsewhere?.description == "it needs Linux, whose kernel takes it in /dev/latency")
  }

  /// Root may write everything, so that tests cannot meet it.
  @Test(arguments: [
    (EACCES, "it needs write permission on /dev/latency"), (ENOSPC, "it cannot be written to"),
  ])
  func `a refusal says why`(code: Int32, text: String) {
    #expect(LatencyRequest.refused("/dev/latency", code).description.hasPrefix(text))
  }
}
