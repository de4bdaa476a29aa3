/// Why a folder gives no media, and what to do about it.
public enum MediaDirectoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is nothing of that name.
  case missing(path: String)
  /// There is something, but no folder.
  case notADirectory(path: String)
  /// A folder that may not be read, or something in it that cannot be looked at.
  case unreadable(path: String, reason: String)
  /// A photo or a video that may not be read, or that is none any more.
  case unreadableFile(MediaReadError)
  /// The folder and its subfolders hold neither photo nor video.
  case noMedia(path: String)

  public var description: String {
    switch self {
    case .missing(let path):
      "no media directory at \(path): check the path"
    case .notADirectory(let path):
      "\(path) is not a directory: name the folder that holds the photos and videos"
    case .unreadable(let path, let reason):
      "cannot read \(path): \(reason); allow reading it or move it out of the media directory"
    case .unreadableFile(let error):
      error.description
    case .noMedia(let path):
      "no photo or video in \(path): it is searched with its subfolders, without links and hidden files, for "
        + (MediaDirectory.photoExtensions + MediaDirectory.videoExtensions).joined(separator: ", ")
    }
  }
}
