import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ControlGroupTests {
  /// Rows of `GROUPS | FILE: CONTENT | … => ANSWER`: this process's groups, files below /sys/fs/cgroup (or elsewhere, from the root), and
  /// what is to be read there. `;` ends a line, and `-` is unknown.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: String
    private let texts: [String: String]

    var files: MachineFiles { MachineFiles { [texts] in texts[$0] } }

    static func table(_ rows: String) -> [Row] { rows.split(separator: "\n").map { Row(String($0)) } }

    private init(_ row: String) {
      testDescription = row
      let sides = row.components(separatedBy: " => ")
      answer = sides[1]
      let parts = sides[0].components(separatedBy: " | ").map { $0.replacing(";", with: "\n") }
      var texts = parts[0] == "-" ? [:] : ["/proc/self/cgroup": parts[0]]
      for part in parts.dropFirst() {
        let (path, text) = (part.prefix { $0 != ":" }, part.drop { $0 != ":" }.dropFirst(2))
        texts[path.hasPrefix("/") ? String(path) : "/sys/fs/cgroup/\(path)"] = String(text)
      }
      self.texts = texts
    }
  }

  private func words(_ limit: MachineRecord.Limit?) -> String {
    switch limit {
    case .at(let number): "\(number)"
    case .unlimited: "unlimited"
    case nil: "-"
    }
  }

  // Version 2, in a container whose group is the root; then the tightest of a group and those around it; then version 1, with the path
  // of the host, of which a container sees only the root; and another controller's group, which is not the processor's.
  @Test(
    arguments: Row.table(
      """
      0::/; | cpu.max: 150000 100000; => 1.5
      0::/; | cpu.max: max 100000; => unlimited
      0::/a/b; | a/b/cpu.max: max 100000; | a/cpu.max: 200000 100000; => 2.0
      0::/a/b; | a/b/cpu.max: 300000 100000; | a/cpu.max: 200000 100000; => 2.0
      7:memory:/x;5:cpu,cpuacct:/docker/0123; | cpu/cpu.cfs_quota_us: 50000; | cpu/cpu.cfs_period_us: 100000; => 0.5
      5:cpu:/; | cpu/cpu.cfs_quota_us: -1; | cpu/cpu.cfs_period_us: 100000; => unlimited
      3:cpuset:/; | cpu/cpu.cfs_quota_us: 50000; | cpu/cpu.cfs_period_us: 100000; => -
      0::/; => -
      - => -
      nonsense => -
      """))
  func `the quota is the tightest of the group and its parents, in processors`(row: Row) {
    #expect(words(ControlGroup(row.files).processorQuota) == row.answer)
  }

  @Test(
    arguments: Row.table(
      """
      0::/; | memory.max: 1073741824; => 1073741824.0
      0::/; | memory.max: max; => unlimited
      4:memory:/a; | memory/a/memory.limit_in_bytes: 9223372036854771712; => unlimited
      4:memory:/a;0::/; | memory/a/memory.limit_in_bytes: 9223372036854771712; | memory/memory.limit_in_bytes: 2048; => 2048.0
      - => -
      """))
  func `the memory limit is in bytes`(row: Row) {
    #expect(words(ControlGroup(row.files).memoryLimitBytes) == row.answer)
  }

  @Test(
    arguments: Row.table(
      """
      0::/; | cpu.stat: usage_usec 9;throttled_usec 12; => 12000
      5:cpu,cpuacct:/; | cpu/cpu.stat: nr_throttled 3;throttled_time 77; => 77
      0::/; | cpu.stat: usage_usec 9; => -
      """))
  func `throttled time is in nanoseconds`(row: Row) {
    #expect(ControlGroup(row.files).throttledNanoseconds.map(String.init) ?? "-" == row.answer)
  }

  // Version 2 and version 1; not the line that begins alike. Its own, whatever happened around it or on the machine. The root of the
  // second version counts nothing, and neither does an old kernel's first one.
  @Test(
    arguments: Row.table(
      """
      0::/a; | a/memory.events: oom 7;oom_kill 3;oom_group_kill 1; => 3
      4:memory:/a;0::/; | memory/a/memory.oom_control: oom_kill_disable 0;under_oom 0;oom_kill 2; => 2
      0::/a; | a/memory.events: oom_kill 0; | memory.events: oom_kill 5; | /proc/vmstat: oom_kill 9; => 0
      0::/; | /proc/vmstat: nr_free_pages 1;oom_kill 9; => 9
      4:memory:/; | memory/memory.oom_control: oom_kill_disable 0; | /proc/vmstat: oom_kill 9; => 9
      - => -
      """))
  func `out-of-memory kills are those of the own control group`(row: Row) {
    #expect(OutOfMemory.kills(row.files).map { "\($0)" } ?? "-" == row.answer)
  }
}
