import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct MachineNameTests {
  @Test func `a machine's name has its processor and cores, not its host`() {
    let name = MachineName.make(
      processor: "Intel(R) Xeon(R) CPU @ 2.20GHz", coreCount: 4, hostName: "secret-host")
    #expect(name.hasPrefix("intel-xeon-2-20ghz-4-"))
    #expect(!name.contains("secret") && !name.contains("host"))
  }

  @Test func `two hosts of one kind have different names`() {
    func name(_ host: String) -> String {
      MachineName.make(processor: "AMD EPYC", coreCount: 2, hostName: host)
    }
    #expect(name("node-1") != name("node-2"))
    #expect(name("node-1") == name("node-1"))
  }

  @Test(arguments: ["", "AMD EPYC", "日本", String(repeating: "x", count: 300)])
  func `a machine's name is valid in a record`(processor: String) throws {
    try RecordName.check(MachineName.make(processor: processor, coreCount: 128, hostName: ""))
  }
}
