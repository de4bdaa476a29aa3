import Foundation

/// A file that one process at a time holds, together with the children that it hands the descriptor to.
///
/// It is free once all of them have ended or closed it, however they end.
struct FileLock {
  let descriptor: Int32

  /// Waits until nobody else holds it.
  ///
  /// - Parameters:
  ///   - path: made if it does not exist; never removed, or two could hold locks of one name.
  ///   - waits: called once, if somebody holds it.
  ///   - isInterrupted: asked ten times a second.
  init(_ path: String, waits: () -> Void, isInterrupted: () -> Bool) throws {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw FileProblem("cannot write \(path): \(String(cString: strerror(errno))).") }
    var isWaiting = false
    // Not `flock` that waits: a signal does not end it.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let error = errno
      guard error == EWOULDBLOCK || error == EINTR else {
        release()
        throw FileProblem("cannot lock \(path): \(String(cString: strerror(error))).")
      }
      if isInterrupted() {
        release()
        throw Interrupted()
      }
      if !isWaiting { waits() }
      isWaiting = true
      usleep(100_000)
    }
  }

  /// Once. Children that hold it go on holding it.
  func release() { close(descriptor) }
}
