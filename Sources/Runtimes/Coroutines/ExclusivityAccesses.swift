import Foundation

/// The accesses (`inout`, `modify`) that a coroutine has open, which Swift tracks per thread.
///
/// A coroutine that suspends inside such an access must take it along: otherwise the thread that resumes it looks for
/// the access in its own list and crashes. The concurrency runtime does the same for tasks with these two entry points
/// of libswiftCore; they are not public API, so they are looked up, and without them nothing is handed over.
enum ExclusivityAccesses {
  /// Two words, zero at first, that only the two functions interpret.
  typealias State = (UInt, UInt)
  typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  static let enter = look(for: "swift_task_enterThreadLocalContext")
  static let exit = look(for: "swift_task_exitThreadLocalContext")

  private static func look(for name: String) -> Function? {
    // The default handle: everything that is loaded.
    #if canImport(Darwin)
      let all = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let all: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(all, name).map { unsafeBitCast($0, to: Function.self) }
  }
}
