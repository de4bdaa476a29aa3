import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ControlGroupTests {
  private typealias Files = [String: String]

  private func group(_ files: [String: String]) -> ControlGroup { ControlGroup(MachineFiles { files[$0] }) }

  @Test(
    arguments: [
      // Version 2: in a container its group is the root.
      (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "150000 100000\n"], .at(1.5)),
      (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"], .unlimited),
      // The tightest of a group and those around it.
      (
        [
          "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
          "/sys/fs/cgroup/a/cpu.max": "200000 100000\n",
        ], .at(2)
      ),
      (
        [
          "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "300000 100000\n",
          "/sys/fs/cgroup/a/cpu.max": "200000 100000\n",
        ], .at(2)
      ),
      // Version 1, with the path of the host, of which a container sees only the root.
      (
        [
          "/proc/self/cgroup": "7:memory:/x\n5:cpu,cpuacct:/docker/0123\n",
          "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
          "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
        ], .at(0.5)
      ),
      (
        [
          "/proc/self/cgroup": "5:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
          "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
        ], .unlimited
      ),
      // Another controller's group is not the processor's.
      (
        [
          "/proc/self/cgroup": "3:cpuset:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
          "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
        ], nil
      ),
      (["/proc/self/cgroup": "0::/\n"], nil), ([:], nil), (["/proc/self/cgroup": "nonsense"], nil),
    ] as [([String: String], MachineRecord.Limit?)])
  func `the quota is the tightest of the group and its parents, in processors`(
    files: [String: String], quota: MachineRecord.Limit?
  ) {
    #expect(group(files).processorQuota == quota)
  }

  @Test(
    arguments: [
      (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1073741824\n"], .at(0x1p30)),
      (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"], .unlimited),
      (
        [
          "/proc/self/cgroup": "4:memory:/a\n",
          "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
        ], .unlimited
      ),
      (
        [
          "/proc/self/cgroup": "4:memory:/a\n0::/\n",
          "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
          "/sys/fs/cgroup/memory/memory.limit_in_bytes": "2048\n",
        ], .at(2_048)
      ), ([:], nil),
    ] as [([String: String], MachineRecord.Limit?)])
  func `the memory limit is in bytes`(files: [String: String], limit: MachineRecord.Limit?) {
    #expect(group(files).memoryLimitBytes == limit)
  }

  @Test(
    arguments: [
      (
        ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.stat": "usage_usec 9\nthrottled_usec 12\n"],
        12_000
      ),
      (
        [
          "/proc/self/cgroup": "5:cpu,cpuacct:/\n",
          "/sys/fs/cgroup/cpu/cpu.stat": "nr_throttled 3\nthrottled_time 77\n",
        ], 77
      ), (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.stat": "usage_usec 9\n"], nil),
    ] as [([String: String], UInt64?)])
  func `throttled time is in nanoseconds`(files: [String: String], nanoseconds: UInt64?) {
    #expect(group(files).throttledNanoseconds == nanoseconds)
  }

  @Test(
    arguments: [
      // Version 2 and version 1; not the line that begins alike.
      (
        [
          "/proc/self/cgroup": "0::/a\n",
          "/sys/fs/cgroup/a/memory.events": "oom 7\noom_kill 3\noom_group_kill 1\n",
        ],
        3
      ),
      (
        [
          "/proc/self/cgroup": "4:memory:/a\n0::/\n",
          "/sys/fs/cgroup/memory/a/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        ], 2
      ),
      // Its own, whatever happened around it or on the machine.
      (
        [
          "/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.events": "oom_kill 0\n",
          "/sys/fs/cgroup/memory.events": "oom_kill 5\n", "/proc/vmstat": "oom_kill 9\n",
        ], 0
      ),
      // The root of the second version counts nothing, and neither does an old kernel's first one.
      (["/proc/self/cgroup": "0::/\n", "/proc/vmstat": "nr_free_pages 1\noom_kill 9\n"], 9),
      (
        [
          "/proc/self/cgroup": "4:memory:/\n",
          "/sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\n",
          "/proc/vmstat": "oom_kill 9\n",
        ], 9
      ), ([:], nil),
    ] as [([String: String], Int?)])
  func `out-of-memory kills are those of the own control group`(files: [String: String], kills: Int?) {
    #expect(OutOfMemory.kills(MachineFiles { files[$0] }) == kills)
  }
}
