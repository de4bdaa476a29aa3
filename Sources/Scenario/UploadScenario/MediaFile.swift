import Foundation

/// The file on disk that a `Media` is read from. A class, so that copying a `Media` costs one retain.
public final class MediaFile: Sendable, Hashable {
  /// As the process that opens it finds it; two files are equal if their paths are.
  public let path: String
  /// The file's own name, without its folder.
  public let name: String
  private let folder: String
  private let relativePath: String

  /// A file below a folder that the user named, in whatever subfolder. It is not opened, nor looked for.
  public init(folder: String, relativePath: String) {
    path = folder.hasSuffix("/") ? folder + relativePath : "\(folder)/\(relativePath)"
    name = (relativePath as NSString).lastPathComponent
    self.folder = folder
    self.relativePath = relativePath
  }

  /// A descriptor to read the file from, for the caller to close.
  ///
  /// No link is followed below the folder, whatever took the place of a subfolder since it was listed, and a pipe in
  /// the file's place holds no thread.
  func open() throws(MediaReadError) -> Int32 {
    var directory = AT_FDCWD
    defer { if directory != AT_FDCWD { close(directory) } }
    // The folder itself may be a link, so it is part of the first step.
    var step = folder + "/"
    var parts = relativePath.split(separator: "/")[...]
    while parts.count > 1 {
      step += parts.removeFirst()
      let inner = openat(directory, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else { throw MediaReadError(errno, path: path) }
      if directory != AT_FDCWD { close(directory) }
      directory = inner
      step = ""
    }
    step += parts.first ?? ""
    let descriptor = openat(directory, step, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw MediaReadError(errno, path: path) }
    var info = stat()
    if fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG { return descriptor }
    close(descriptor)
    throw MediaReadError(
      path: path, reason: "cannot read \(path): it is not a file (any more); name the media again")
  }

  public static func == (a: MediaFile, b: MediaFile) -> Bool { a.path == b.path }
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
