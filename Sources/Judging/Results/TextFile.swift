import Foundation

/// A file of text that is written once.
public enum TextFile {
  /// Writes a new file; one that exists is not overwritten, and of one that cannot be written whole nothing is left.
  public static func create(_ path: String, _ text: String) throws(ResultsError) {
    let descriptor = try POSIXFile.createForAppending(path)
    do throws(ResultsError) {
      try POSIXFile.writeAll(Array(text.utf8), to: descriptor, path: path)
    } catch {
      _ = close(descriptor)
      unlink(path)
      throw error
    }
    // Where some file systems report a failed write.
    guard close(descriptor) == 0 else {
      let reason = POSIXFile.lastErrorText
      unlink(path)
      throw .cannotWrite(path: path, reason: reason)
    }
  }
}
