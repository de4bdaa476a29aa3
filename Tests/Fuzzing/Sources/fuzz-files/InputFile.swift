import Foundation

/// The one file that inputs are read from, in memory if the temporary folder is.
struct InputFile {
  let path: String
  private let descriptor: Int32

  init() {
    var template =
      Array(FileManager.default.temporaryDirectory.path.utf8CString.dropLast())
      + Array("/fuzz-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    precondition(descriptor >= 0, String(cString: strerror(errno)))
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    atexit { unlink(file.path) }
  }

  func write(_ bytes: [UInt8]) {
    precondition(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    precondition(ftruncate(descriptor, off_t(bytes.count)) == 0)
  }
}

let file = InputFile()
