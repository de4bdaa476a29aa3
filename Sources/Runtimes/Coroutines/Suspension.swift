/// One wait of one coroutine, as those know it who may end it.
///
/// Whatever its fiber does by then, a suspension that is over cannot be ended again.
@usableFromInline struct Suspension: @unchecked Sendable {
  // Invariant: a fiber's memory is never given back, and what others touch of it is its gate, which is atomic.
  let fiber: FiberPointer
  let epoch: UInt64
}

extension Suspension {
  /// Opens a suspension of the running coroutine, which must `park` next. Throws `CancellationError` if it was cancelled.
  ///
  /// - Parameter staysForResult: after cancellation ended it, the coroutine asks with `parkAgain` for the result.
  @usableFromInline init(staysForResult: Bool, at site: AwaitSite = .unknown) throws {
    let fiber = FiberPointer.current(for: "await")
    try fiber.checkCancellation()
    self = fiber.open(site, flags: staysForResult ? Gate.reclaimable : UInt64(0))
  }

  /// Waits. Returns whether cancellation ended it.
  @usableFromInline func park() -> Bool { fiber.park() }

  /// Waits for the result that comes although cancellation ended the suspension.
  @usableFromInline func parkAgain() {
    reopen()
    _ = fiber.park()
  }

  /// Ends a claim and, if the fiber has left its stack, makes it ready: outside of locks, for it may run within.
  @usableFromInline func finish(_ claim: Claim) {
    if end(claim) { fiber.makeReady() }
  }
}

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

  private static let childrenSubject: StaticString = "its coroutines"
  /// Of a scope's owner, which waits until the last one has ended.
  static var children: AwaitSite {
    AwaitSite(subject: childrenSubject.utf8Start, file: nil, line: 0)
  }
}
