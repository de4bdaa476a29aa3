import Foundation

/// The photos and videos of a folder and its subfolders, in an order that every process sees alike.
///
/// Cameras file their pictures in subfolders, so those are searched too. Links are never followed, neither to
/// folders nor to files, so nothing outside is read and no circle is walked; names that start with a dot are
/// skipped (they hold previews and leftovers, not media).
public enum MediaDirectory {
  /// What ends the name of a photo, in lower case; names are compared without regard to case.
  public static let photoExtensions = [
    "jpg", "jpeg", "png", "heic", "heif", "gif", "webp", "tiff", "bmp", "avif",
  ]
  /// What ends the name of a video, likewise.
  public static let videoExtensions = ["mp4", "mov", "m4v", "avi", "mkv", "webm"]

  /// How much of a file is read at once.
  private static let chunkBytes = 256 * 1024

  /// All media below `path`, sorted by path, each read once for its size and `Checksum`.
  public static func media(in path: String) throws(MediaDirectoryError) -> [Media] {
    var info = stat()
    guard stat(path, &info) == 0 else {
      throw errno == ENOENT ? .missing(path: path) : .unreadable(path: path, reason: reason(errno))
    }
    guard info.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path: path) }
    var paths: [String] = []
    try collect(below: path, into: &paths)
    guard !paths.isEmpty else { throw .noMedia(path: path) }
    var media: [Media] = []
    for path in paths.sorted() {
      let file = MediaFile(path: path, name: (path as NSString).lastPathComponent)
      let (byteCount, checksum) = try read(path)
      media.append(
        Media(
          index: media.count, kind: kind(of: file.name) ?? .photo, byteCount: byteCount, checksum: checksum,
          source: .file(file)))
    }
    return media
  }

  /// What a file is, by the ending of its name; nil if it is no media.
  static func kind(of name: String) -> Media.Kind? {
    let ending = (name as NSString).pathExtension.lowercased()
    if photoExtensions.contains(ending) { return .photo }
    return videoExtensions.contains(ending) ? .video : nil
  }

  private static func collect(below root: String, into paths: inout [String]) throws(MediaDirectoryError) {
    var folders = [root]
    while let folder = folders.popLast() {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: folder)
      } catch {
        throw .unreadable(path: folder, reason: error.localizedDescription)
      }
      for name in names where !name.hasPrefix(".") {
        let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        var info = stat()
        guard lstat(path, &info) == 0 else {
          // Foundation gives out names that are no UTF-8 with this in place of what it cannot say.
          let isMisnamed = errno == ENOENT && name.unicodeScalars.contains("\u{FFFD}")
          throw .unreadable(
            path: path, reason: isMisnamed ? "its name is not UTF-8: rename it" : reason(errno))
        }
        switch info.st_mode & S_IFMT {
        case S_IFDIR: folders.append(path)
        case S_IFREG where kind(of: name) != nil: paths.append(path)
        default: continue
        }
      }
    }
  }

  private static func read(_ path: String) throws(MediaDirectoryError) -> (byteCount: Int, checksum: UInt64) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: reason(errno)) }
    defer { close(descriptor) }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
    defer { chunk.deallocate() }
    var checksum = Checksum()
    var byteCount = 0
    while true {
      let count = Foundation.read(descriptor, chunk.baseAddress, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: path, reason: reason(errno)) }
      if count == 0 { return (byteCount, checksum.value) }
      checksum.update(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      byteCount += count
    }
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
