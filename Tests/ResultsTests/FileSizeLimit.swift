import Foundation

/// Makes the system refuse to let files grow, so that a write takes only a part: the portable stand-in for a full disk.
///
/// The limit is the whole process's, so it belongs in an exit test, which has a process of its own.
enum FileSizeLimit {
  static func with(bytes: Int, _ body: () throws -> Void) throws {
    // Without this the system ends the process instead of refusing the write.
    signal(SIGXFSZ, SIG_IGN)
    var old = rlimit()
    getrlimit(resource, &old)
    var limited = old
    limited.rlim_cur = rlim_t(bytes)
    setrlimit(resource, &limited)
    defer { setrlimit(resource, &old) }
    try body()
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let resource = RLIMIT_FSIZE
  #endif
}
