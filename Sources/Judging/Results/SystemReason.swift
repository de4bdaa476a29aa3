import Foundation

/// What the system said of an error of Foundation's, whose own words name the path once more and not always the reason.
public enum SystemReason {
  /// Such as `Permission denied`, without a full stop.
  public static func of(_ error: any Error) -> String {
    let error = error as NSError
    if let code = code(of: error) { return String(cString: strerror(code)) }
    // Its own full stop would be the second.
    return String(error.localizedDescription.reversed().drop { $0 == "." }.reversed())
  }

  /// Why nothing can be seen at a path, such as `Permission denied`; nil if there is something, or nothing at all.
  public static func ofHiding(_ path: String) -> String? {
    var information = stat()
    guard stat(path, &information) != 0, errno != ENOENT, errno != ENOTDIR else { return nil }
    return String(cString: strerror(errno))
  }

  /// The system's number of the error; nil if none is known.
  private static func code(of error: NSError) -> Int32? {
    if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
    if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError { return code(of: underlying) }
    guard error.domain == NSCocoaErrorDomain else { return nil }
    switch CocoaError.Code(rawValue: error.code) {
    case .fileReadNoPermission, .fileWriteNoPermission: return EACCES
    case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
    case .fileWriteFileExists: return EEXIST
    case .fileWriteOutOfSpace: return ENOSPC
    case .fileWriteVolumeReadOnly: return EROFS
    default: return nil
    }
  }
}
