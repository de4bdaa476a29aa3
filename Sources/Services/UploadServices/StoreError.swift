import Foundation

/// A file or folder that could not be used, and what to do about it.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  public let path: String
  /// What happened and what to do, naming the path.
  public let reason: String

  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The error that a system call left behind; `attempt` says what was tried, such as "write".
  init(_ code: Int32, attempt: String, path: String) {
    let advice =
      switch code {
      case ENOSPC, EDQUOT: "the disk is full; free some space or choose another store"
      case EROFS: "the file system is read-only; choose another store"
      case EACCES, EPERM: "permission denied; change its permissions or choose another path"
      case ENOENT: "it does not exist (any more); check the path"
      case ENOTDIR: "it is not a directory; name a directory or remove what is there"
      case ELOOP: "it is a link, and links are not followed; remove it or name where it points to"
      case EMFILE, ENFILE: "too many open files; raise the limit with ulimit -n"
      case EFBIG: "the file would be larger than is allowed; raise the limit with ulimit -f"
      default: "\(String(cString: strerror(code))); check the disk and the path"
      }
    self.init(path: path, reason: "cannot \(attempt) \(path): \(advice)")
  }

  public var description: String { reason }
}
