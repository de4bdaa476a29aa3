import CProbes
import Foundation
import RawThreads

/// What the system says of a worker that it cannot say of itself: asked by the parent between two samples.
struct WorkerConduct {
  /// How the scheduler treats a thread.
  private struct Scheduling: Equatable {
    var policy: Int32
    var nice: Int32
    var processors: [UInt8]
  }

  private let process: Int32
  /// nil until it is known: where the worker was placed, its first thread's at the first look.
  private var usual: Scheduling?

  /// By how much libdispatch prefers its own threads where it may: what an idiom on top of it gets unasked.
  private static let dispatchNice: Int32 = 4

  /// - Parameter isPlaced: whether the parent had the scheduler treat it otherwise than itself.
  init(of process: Int32, isPlaced: Bool) {
    self.process = process
    usual = isPlaced ? nil : Self.scheduling(of: 0)
  }

  /// What the scheduler does for one of its threads and not for other workers; nil if there is nothing. Some 2 µs a thread.
  mutating func unusualScheduling() -> String? {
    for thread in Self.threads(of: process) {
      guard let now = Self.scheduling(of: thread) else { continue }
      guard let usual else {
        usual = now
        continue
      }
      if now.policy != usual.policy {
        return "a thread of it has another scheduling class than it was started with"
      }
      // What Dispatch sets is the same however low the process started.
      if now.nice < min(usual.nice, 0) - Self.dispatchNice {
        return "a thread of it has a higher priority than Dispatch gives any"
      }
      if now.processors != usual.processors {
        return "a thread of it may use other processors than it was started with"
      }
    }
    return nil
  }

  /// Whether a signal has stopped it or let it go on since it was asked last.
  func wasStopped() -> Bool {
    #if os(Linux)
      var info = siginfo_t()
      guard waitid(P_PID, id_t(process), &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 else { return false }
      return info.si_signo != 0
    #else
      return false
    #endif
  }

  /// The processes that have a variable of their environment from it, but for itself: whoever is left, wherever it went.
  static func processes(withVariable variable: String, but process: Int32) -> [Int32] {
    ProcFolder.numbers(in: "/proc").filter { $0 != process }.filter {
      ProcFile.read("/proc/\($0)/environ")?.split(separator: "\0").contains(Substring(variable)) ?? false
    }
  }

  /// Whether the calling process has children, ended ones that nobody waited for included.
  static func hasChildren() -> Bool {
    #if os(Linux)
      var info = siginfo_t()
      return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0
    #else
      return false
    #endif
  }

  private static func threads(of process: Int32) -> [Int32] {
    ProcFolder.numbers(in: "/proc/\(process)/task").sorted()
  }

  /// Of a thread, 0 the calling one; nil if it has ended, and where the system does not say.
  private static func scheduling(of thread: Int32) -> Scheduling? {
    var now = machine_scheduling()
    guard machine_read_scheduling(thread, &now) else { return nil }
    return Scheduling(
      policy: now.policy, nice: now.nice, processors: withUnsafeBytes(of: &now.processors) { Array($0) })
  }
}

/// The clock that everything is measured with, read by a system call of its own: whoever puts another `clock_gettime` into the
/// process does not change it.
enum KernelClock {
  static func nanoseconds() -> UInt64 { machine_clock_nanoseconds() }
}
