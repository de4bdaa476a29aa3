/// Where in the source a coroutine waits, and for what: two literals and a line, kept by address.
@usableFromInline struct AwaitSite: @unchecked Sendable {
  // Invariant: the addresses are those of string literals, which live as long as the process and end in a zero.
  @usableFromInline let subject: UnsafePointer<UInt8>?
  @usableFromInline let file: UnsafePointer<UInt8>?
  @usableFromInline let line: UInt

  @inlinable init(_ subject: StaticString, _ file: StaticString, _ line: UInt) {
    self.init(subject: subject.utf8Start, file: file.utf8Start, line: line)
  }

  @inlinable init(subject: UnsafePointer<UInt8>?, file: UnsafePointer<UInt8>?, line: UInt) {
    self.subject = subject
    self.file = file
    self.line = line
  }

  @usableFromInline static var unknown: AwaitSite { AwaitSite(subject: nil, file: nil, line: 0) }
}
