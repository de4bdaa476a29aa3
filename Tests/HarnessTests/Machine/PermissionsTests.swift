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

  @Test func `a command succeeds with exit status 0`() {
    #expect(Permissions.succeeds("sh", ["-c", "true"]))
    #expect(!Permissions.succeeds("sh", ["-c", "exit 3"]))
    #expect(!Permissions.succeeds("no-such-command-anywhere", []))
  }

  @Test func `every requested command is recorded`() {
    var record = MachineRecord()
    Permissions.record(into: &record, commands: ["sh", "no-such-command-anywhere"])
    #expect(record.commands == ["sh": true, "no-such-command-anywhere": false])
    #expect(record.isRealTimePermitted == Placement.realTime.isPermitted)
  }
}
