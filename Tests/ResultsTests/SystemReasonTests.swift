import Foundation
import Results
import Testing

@Suite struct SystemReasonTests {
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
  func whatTheSystemSaidIsFoundBehindFoundationsWords(error: NSError, number: Int32) {
    #expect(SystemReason.of(error) == String(cString: strerror(number)))
  }

  @Test func otherWordsLoseTheirFullStop() {
    let error = NSError(domain: "any", code: 1, userInfo: [NSLocalizedDescriptionKey: "It is late."])
    #expect(SystemReason.of(error) == "It is late")
  }
}
