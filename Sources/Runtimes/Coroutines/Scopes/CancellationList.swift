/// What a cancellation still has to do, on the thread that cancels.
///
/// A list in place of recursion: scopes in coroutines of scopes, and combinations of combinations, may be nested to any
/// depth. The order is that of a recursion: what follows from one step is done before the next.
struct CancellationList {
  enum Step {
    case future(AnyCoFuture)
    case scope(CoScope)
    case element(Int, of: AnyMapGroup)
    /// Somebody whose wait was ended goes on, now that what it is in is cancelled.
    case ready(FiberPointer)
  }

  /// The next one last.
  private var steps: [Step] = []

  /// Adds a step before all that there are.
  mutating func push(_ step: Step) { steps.append(step) }

  /// Adds scopes before all that there are, in their order.
  mutating func push(_ scopes: [CoScope]) {
    for scope in scopes.reversed() { push(.scope(scope)) }
  }

  mutating func run() {
    while let step = steps.popLast() {
      switch step {
      case .future(let future): future.cancel(&self)
      case .scope(let scope): scope.fail(CancellationError(), &self)
      case .element(let index, let group): group.cancelElement(index, &self)
      case .ready(let fiber): fiber.makeReady()
      }
    }
  }
}
