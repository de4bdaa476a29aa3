import Foundation

/// The photos and videos of a folder and its subfolders, sorted by path. Links and hidden files are skipped.
public enum MediaDirectory {
  /// The extensions of photos, compared without regard to case.
  public static let photoExtensions = [
    "jpg", "jpeg", "png", "heic", "heif", "gif", "webp", "tiff", "bmp", "avif",
  ]
  /// The extensions of videos, compared without regard to case.
  public static let videoExtensions = ["mp4", "mov", "m4v", "avi", "mkv", "webm"]

  /// Finds all media files inside `path`, and reads them to compute their sizes and checksums.
  public static func media(in path: String) throws(FileError) -> [Media] {
    var info = stat()
    guard stat(path, &info) == 0 else {
      if errno != ENOENT { throw unreadable(path, reason(errno)) }
      throw FileError(path: path, reason: "no media directory at \(path): check the path")
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw FileError(
        path: path,
        reason: "\(path) is not a directory: name the folder that holds the photos and videos")
    }
    var paths: [String] = []
    try collect(below: path, into: &paths)
    guard !paths.isEmpty else {
      let endings = (photoExtensions + videoExtensions).joined(separator: ", ")
      throw FileError(
        path: path,
        reason:
          "no photo or video in \(path): no visible file in it or its subfolders has one of the extensions \(endings)"
      )
    }
    var media: [Media] = []
    for relativePath in paths.sorted() {
      let file = MediaFile(folder: path, relativePath: relativePath)
      let (byteCount, checksum) = try read(file)
      media.append(
        Media(
          index: media.count, kind: kind(of: file.name) ?? .photo, byteCount: byteCount, checksum: checksum,
          source: .file(file)))
    }
    return media
  }

  static func kind(of name: String) -> Media.Kind? {
    let ending = (name as NSString).pathExtension.lowercased()
    if photoExtensions.contains(ending) { return .photo }
    return videoExtensions.contains(ending) ? .video : nil
  }

  private static func collect(below root: String, into paths: inout [String]) throws(FileError) {
    var folders = [""]
    while let subfolder = folders.popLast() {
      let folder = subfolder.isEmpty ? root : MediaFile(folder: root, relativePath: subfolder).path
      for (name, isUTF8, mode) in try entries(of: folder) where !name.hasPrefix(".") {
        let relativePath = subfolder.isEmpty ? name : "\(subfolder)/\(name)"
        let isFolder = mode & S_IFMT == S_IFDIR
        guard isFolder || mode & S_IFMT == S_IFREG && kind(of: name) != nil else { continue }
        guard isUTF8 else {
          throw unreadable("\(folder)/\(name)", "its name is not UTF-8: rename it")
        }
        if isFolder { folders.append(relativePath) } else { paths.append(relativePath) }
      }
    }
  }

  /// The entries of a folder. Invalid UTF-8 in names is replaced.
  private static func entries(
    of folder: String
  ) throws(FileError) -> [(name: String, isUTF8: Bool, mode: mode_t)] {
    guard let directory = opendir(folder) else { throw unreadable(folder, reason(errno)) }
    defer { closedir(directory) }
    var entries: [(name: String, isUTF8: Bool, mode: mode_t)] = []
    while let entry = readdir(directory) {
      var info = stat()
      let (name, isUTF8, code) = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        let text = bytes.assumingMemoryBound(to: CChar.self).baseAddress!
        let code = fstatat(dirfd(directory), text, &info, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno
        return (String(cString: text), String(validatingCString: text) != nil, code)
      }
      // The file was removed after `readdir`.
      if code == ENOENT { continue }
      if code != 0 { throw unreadable("\(folder)/\(name)", reason(code)) }
      entries.append((name, isUTF8, info.st_mode))
    }
    return entries
  }

  private static func read(_ file: MediaFile) throws(FileError) -> (byteCount: Int, checksum: UInt64) {
    var checksum = Checksum()
    var byteCount = 0
    var reader = try MediaReader(
      Media(index: 0, kind: .photo, byteCount: 0, checksum: 0, source: .file(file)))
    try reader.readAll {
      checksum.update($0)
      byteCount += $0.count
    }
    return (byteCount, checksum.value)
  }

  private static func unreadable(_ path: String, _ reason: String) -> FileError {
    FileError(
      path: path,
      reason: "cannot read \(path): \(reason); allow reading it or move it out of the media directory")
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
