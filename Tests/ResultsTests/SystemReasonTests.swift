import Foundation
import Results
import TestSupport
import Testing

@Suite(.ownThread) struct SystemReasonTests {
  @Test(arguments: [
    (NSError(domain: NSPOSIXErrorDomain, code: Int(EMFILE)), EMFILE),
    (
      NSError(
        domain: NSCocoaErrorDomain, code: 512,
        userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(EROFS))]), EROFS
    ),
    (NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileReadNoPermission.rawValue), EACCES),
    (NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteNoPermission.rawValue), EACCES),
  ])
  func `the system's reason is found behind Foundation's words`(error: NSError, number: Int32) {
    #expect(SystemReason.of(error) == String(cString: strerror(number)))
  }

  @Test func `a file in place of a folder is reported`() {
    let error = #expect(throws: (any Error).self) {
      try FileManager.default.createDirectory(atPath: "\(#filePath)/sub", withIntermediateDirectories: true)
    }
    #expect(error.map(SystemReason.of) == "Not a directory")
  }

  /// A name that no file system takes stands for a folder that must not be searched: the tests may run as root.
  @Test func `a hidden file is not taken for a missing one`() {
    #expect(SystemReason.ofHiding("/") == nil)
    #expect(SystemReason.ofHiding("/nowhere/at/all") == nil)
    #expect(SystemReason.ofHiding("/" + String(repeating: "x", count: 300)) == "File name too long")
  }

  @Test func `other reasons lose their full stop`() {
    let error = NSError(domain: "any", code: 1, userInfo: [NSLocalizedDescriptionKey: "It is late."])
    #expect(SystemReason.of(error) == "It is late")
  }
}
