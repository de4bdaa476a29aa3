import Foundation
import Results

#if canImport(Darwin)
  import Darwin

  extension MachineProbe {
    /// What this platform shows through system calls.
    func readPlatform(into record: inout MachineRecord) {
      record.processorsOnline = ProcessInfo.processInfo.processorCount
      record.processorsAllowed = ProcessInfo.processInfo.activeProcessorCount
      record.memoryBytes = Double(ProcessInfo.processInfo.physicalMemory)
      var isGuest: Int32 = 0
      var size = MemoryLayout<Int32>.size
      if sysctlbyname("kern.hv_vmm_present", &isGuest, &size, nil, 0) == 0 {
        record.isVirtualMachine = isGuest != 0
      }
      var load = 0.0
      if getloadavg(&load, 1) == 1 { record.loadAverage = load }
    }
  }
#else
  extension MachineProbe {
    /// Everything that this platform shows is in files.
    func readPlatform(into record: inout MachineRecord) {}
  }
#endif
