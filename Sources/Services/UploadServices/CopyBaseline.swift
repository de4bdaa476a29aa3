import Foundation
import RawThreads
import UploadScenario

/// What `cp` does with the files of a post: an external baseline for contenders that copy them into a store. For one thread.
///
/// `cp -RL` copies a folder of links to the files, under the names that they have in a store. It neither checks bytes, nor gives
/// names only to what is whole, nor answers for each file: what a contender takes beyond it is the price of these.
public struct CopyBaseline: Sendable {
  private let links: String
  private let copy: String
  private let byteCount: Int
  private let fileCount: Int
  private let syncsToDisk: Bool

  /// - Parameters:
  ///   - post: of files.
  ///   - folder: exists, and has nothing of these names in it.
  public init(post: Post, folder: String, syncsToDisk: Bool) {
    links = "\(folder)/links"
    copy = "\(folder)/copy"
    byteCount = post.media.reduce(0) { $0 + $1.byteCount }
    fileCount = post.media.count
    self.syncsToDisk = syncsToDisk
  }

  /// Makes the links; throws `FileError`.
  public static func prepare(_ post: Post, folder: String) throws {
    let links = "\(folder)/links"
    do {
      try FileManager.default.createDirectory(atPath: links, withIntermediateDirectories: true)
    } catch { throw FileError(path: links, reason: "cannot make \(links): \(error.localizedDescription)") }
    for media in post.media {
      guard case .file(let file) = media.source else { continue }
      let link = "\(links)/\(ObjectName.of(media))"
      guard symlink(URL(fileURLWithPath: file.path).path, link) == 0 else {
        throw FileError(errno, attempt: "make the link", path: link)
      }
    }
  }

  /// Copies all files into a fresh folder, with fsync makes them durable, and removes it: in nanoseconds, `cp`'s start included.
  public func measure() throws -> UInt64 {
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let start = MonotonicClock.nanoseconds()
    let status = try Self.run(["cp", "-RL", links, copy])
    guard status == 0 else {
      throw FileError(path: copy, reason: "cp ended with status \(status) on the way to \(copy)")
    }
    if syncsToDisk { try sync() }
    let nanoseconds = MonotonicClock.nanoseconds() - start
    try check()
    return nanoseconds
  }

  private func sync() throws {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: copy) } catch {
      throw FileError(path: copy, reason: "cannot read \(copy): \(error.localizedDescription)")
    }
    for path in names.map({ "\(copy)/\($0)" }) + [copy] {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileError(errno, attempt: "open", path: path) }
      defer { close(descriptor) }
      // Some file systems do not sync folders.
      guard syncToDisk(descriptor) == 0 || errno == EINVAL else {
        throw FileError(errno, attempt: "sync", path: path)
      }
    }
  }

  /// Whether as many files and bytes arrived as the post has.
  private func check() throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: copy)) ?? []
    let bytes = names.reduce(0) { sum, name in
      var info = stat()
      return lstat("\(copy)/\(name)", &info) == 0 ? sum + Int(info.st_size) : sum
    }
    guard names.count == fileCount, bytes == byteCount else {
      throw FileError(
        path: copy,
        reason:
          "cp copied \(names.count) files of \(bytes) bytes, not \(fileCount) of \(byteCount): the media files have changed"
      )
    }
  }

  /// The exit status; throws if it cannot be started.
  private static func run(_ arguments: [String]) throws -> Int32 {
    var texts = arguments.map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var child: pid_t = 0
    let error = posix_spawnp(&child, arguments[0], nil, nil, &texts, environ)
    guard error == 0 else { throw FileError(error, attempt: "start", path: arguments[0]) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw FileError(errno, attempt: "wait for", path: arguments[0]) }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
