import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct CancelHandlerTests {
  private final class Request: Sendable {}
  private struct Large: Sendable { let words: (Int, Int, Int), request: Request }

  /// Sets a handler, ends it, and checks that its handle is released; returns its calls.
  private func outcome<Handle: Sendable>(
    isCancelled: Bool, _ makeHandle: (Request) -> Handle, _ request: @escaping @Sendable (Handle) -> Request
  ) -> [Bool] {
    let calls = Log<Bool>()
    weak var kept: Request?
    var handler = CancelHandler()
    do {
      let made = Request()
      kept = made
      let identifier = ObjectIdentifier(made)
      handler.set(makeHandle(made)) { calls.append(ObjectIdentifier(request($0)) == identifier) }
    }
    #expect(kept != nil)
    handler.end(isCancelled: isCancelled)
    #expect(kept == nil)
    return calls.entries
  }

  @Test(arguments: [false, true])
  func `a handle of any size is kept until the end, passed on if cancelled, and released`(isCancelled: Bool) {
    let expected = isCancelled ? [true] : []
    #expect(outcome(isCancelled: isCancelled, { $0 }, { $0 }) == expected)
    #expect(outcome(isCancelled: isCancelled, { ($0 as Request?, 1) }, { $0.0! }) == expected)
    let large = outcome(isCancelled: isCancelled, { Large(words: (1, 2, 3), request: $0) }, { $0.request })
    #expect(large == expected)
    #expect(
      outcome(isCancelled: isCancelled, { made in CancelClosure(made) { _ in } }, { _ in Request() })
        == expected.map { _ in false })
  }
}
