import Foundation
import Synchronization
import UploadScenario

/// A folder for objects. An object is written completely or not at all. Links inside the folder are not followed.
final class ObjectStore: Sendable {
  let path: String
  private let descriptor: Int32
  private let identity: (device: dev_t, inode: ino_t)
  private let partials = Atomic<Int>(0)

  /// Opens the folder and creates it if it is missing. `subdirectory` is a plain name inside it; `nil` means the folder itself.
  init(root: String, subdirectory: String?) throws(FileError) {
    try Self.makeDirectories(root)
    var current = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard current >= 0 else { throw FileError(errno, attempt: "open the store", path: root) }
    path = subdirectory.map { "\(root)/\($0)" } ?? root
    if let subdirectory {
      defer { close(current) }
      guard !subdirectory.isEmpty, ![".", ".."].contains(subdirectory), !subdirectory.contains("/") else {
        throw FileError(
          path: path, reason: "cannot open the store \(path): its last part must be a plain name")
      }
      guard mkdirat(current, subdirectory, 0o777) == 0 || errno == EEXIST else {
        throw FileError(errno, attempt: "make the directory", path: path)
      }
      let inner = openat(current, subdirectory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else { throw FileError(errno, attempt: "open the store", path: path) }
      descriptor = inner
    } else {
      descriptor = current
      current = -1
    }
    var info = stat()
    fstat(descriptor, &info)
    identity = (info.st_dev, info.st_ino)
  }

  deinit { close(descriptor) }

  /// Whether `path` lies directly in this folder, where an object could overwrite it.
  func holds(_ path: String) -> Bool {
    let parent = (path as NSString).deletingLastPathComponent
    var info = stat()
    guard stat(parent.isEmpty ? "." : parent, &info) == 0 else { return false }
    return (info.st_dev, info.st_ino) == identity
  }

  /// Writes an object under a temporary name and renames it when it is complete. `fill` puts the next bytes into the chunk and
  /// returns their number, 0 at the end. If it throws, no file stays.
  func write(
    _ name: String, through chunk: UnsafeMutableRawBufferPointer, syncsToDisk: Bool,
    fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> (byteCount: Int, checksum: UInt64) {
    let (partial, file) = try createPartial()
    var isOpen = true
    do {
      defer { if isOpen { close(file) } }
      var checksum = Checksum()
      var byteCount = 0
      while case let count = try fill(chunk), count > 0 {
        let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<count])
        guard writeAll(bytes, to: file) else { throw error("write", name) }
        checksum.update(bytes)
        byteCount += count
      }
      if syncsToDisk, syncToDisk(file) != 0 { throw error("write", name) }
      isOpen = false
      // Some file systems report a full disk only when the file is closed.
      guard close(file) == 0 else { throw error("write", name) }
      guard renameat(descriptor, partial, descriptor, name) == 0 else { throw error("write", name) }
      if syncsToDisk, syncToDisk(descriptor) != 0, errno != EINVAL { throw error("write", name) }
      return (byteCount, checksum.value)
    } catch {
      unlinkat(descriptor, partial, 0)
      throw error
    }
  }

  private func createPartial() throws(FileError) -> (name: String, file: Int32) {
    while true {
      let name = ".\(getpid())-\(partials.add(1, ordering: .relaxed).newValue).partial"
      let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
      if file >= 0 { return (name, file) }
      // A killed process with the same ID may have left a file with this name.
      guard errno == EEXIST || errno == EINTR else { throw error("write", name) }
    }
  }

  private func error(_ attempt: String, _ name: String) -> FileError {
    FileError(errno, attempt: attempt, path: "\(path)/\(name)")
  }

  private static func makeDirectories(_ path: String) throws(FileError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part
      guard mkdir(made, 0o777) == 0 || errno == EEXIST || isDirectory(made) else {
        throw FileError(errno, attempt: "make the directory", path: made)
      }
      made += "/"
    }
  }

  /// Whether there is a folder at a path. On a read-only file system, `mkdir` does not fail with `EEXIST` then.
  private static func isDirectory(_ path: String) -> Bool {
    let code = errno
    defer { errno = code }
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }
}

/// Writes all bytes to a file. Returns false and sets `errno` if that fails.
func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
  var left = bytes
  while !left.isEmpty {
    let count = write(file, left.baseAddress!, left.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { return false }
    left = UnsafeRawBufferPointer(rebasing: left[count...])
  }
  return true
}

func syncToDisk(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
    // On this platform, `fsync` alone does not flush the drive's cache.
    fcntl(descriptor, F_FULLFSYNC)
  #else
    fsync(descriptor)
  #endif
}
