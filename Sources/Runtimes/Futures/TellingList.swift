/// Complete futures that have to tell those who wait for them, and what is to be done then.
@usableFromInline
struct TellingList: Sendable {
  private struct Told {
    let future: AnyFuture
    let waiters: StateWord
  }

  private var told: [Told] = []
  private let action: (@Sendable () -> Void)?

  init(then action: (@Sendable () -> Void)? = nil) { self.action = action }

  mutating func append(_ future: AnyFuture, _ waiters: StateWord) {
    told.append(Told(future: future, waiters: waiters))
  }

  /// Tells everybody: the futures nearest to the producers first.
  @usableFromInline
  func deliver() {
    for told in told.reversed() { told.future.deliver(told.waiters) }
    // It may be that of a combination within another, which then tells in turn.
    if let action { DeliveryQueue.current.cancelInTurn(action) }
  }
}
