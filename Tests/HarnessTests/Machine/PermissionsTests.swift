import Foundation
import Results
import Testing

@testable import Harness

@Suite struct PermissionsTests {
  @Test func aCommandIsThereIfAnyFolderOfThePathHasIt() {
    #expect(Permissions.isInstalled("sh", path: "/nowhere:/bin"))
    #expect(!Permissions.isInstalled("sh", path: "/nowhere:"))
    // A file that cannot be executed is no command.
    #expect(!Permissions.isInstalled("passwd", path: "/etc"))
  }

  @Test func aCommandSucceedsIfItSaysSo() {
    #expect(Permissions.succeeds("sh", ["-c", "true"]))
    #expect(!Permissions.succeeds("sh", ["-c", "exit 3"]))
    #expect(!Permissions.succeeds("no-such-command-anywhere", []))
  }

  @Test func everyCommandThatIsAskedForIsAnswered() {
    var record = MachineRecord()
    Permissions.record(into: &record, commands: ["sh", "no-such-command-anywhere"])
    #expect(record.commands == ["sh": true, "no-such-command-anywhere": false])
    #expect(record.isRealTimePermitted == Placement.realTime.isPermitted)
  }

  #if os(Linux)
    /// Trying leaves neither a descriptor nor a mapping behind.
    @Test func tryingLeavesNothingBehind() throws {
      func count() throws -> Int {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return maps.split(separator: "\n").count { $0.hasSuffix(" 0 ") } + descriptors.count
      }
      func tryAll() {
        var record = MachineRecord()
        for _ in 0..<200 { Permissions.record(kernelInto: &record) }
      }
      tryAll()
      let before = try count()
      tryAll()
      // Other tests run meanwhile: far fewer than what 200 leaks would leave.
      #expect(try count() - before < 150)
    }
  #endif
}
