import RuntimeSupport

extension Future {
  /// Runs the body when this future completes, even if the returned future, which completes after the body, is cancelled.
  public final func ensure(_ body: @escaping @Sendable () -> Void) -> Future {
    ensure {
      body()
      return Future<Void>(value: ())
    }
  }

  /// Starts a cleanup when this future completes, even if the returned future is cancelled. The returned future completes after
  /// the cleanup.
  ///
  ///     transfer(on: connection).ensure { connection.close() }
  ///
  /// A cancellation does not cancel the cleanup. The cleanup's error replaces a value, but not a failure or a cancellation. If
  /// this future has other waiters, it continues, and a cancelled returned future completes immediately.
  public final func ensure(_ cleanup: @escaping @Sendable () throws -> Future<Void>) -> Future {
    derive(CleaningNode(after: self, cleanup))
  }
}

/// The future that `ensure` returns. It starts the cleanup even if it is cancelled, and then takes its source's outcome.
///
/// `@unchecked Sendable`: only the step touches `cleanup`. After `init`, `upstream` belongs to the thread that ends the cleanup
/// or, after a cancellation, to the later of that thread's and the cancelling thread's calls of `arrive`. `deliveries` belongs
/// to the cancelling thread until its call of `arrive`, then to the later of the two calls.
private final class CleaningNode<Value: Sendable>: Future<Value>, @unchecked Sendable {
  @exclusivity(unchecked) private var cleanup: (@Sendable () throws -> Future<Void>)?
  @exclusivity(unchecked) private var upstream: Future<Value>?
  @exclusivity(unchecked) private var deliveries: PendingDeliveries?
  private let phase = OutcomePhase()

  init(after upstream: Future<Value>, _ cleanup: @escaping @Sendable () throws -> Future<Void>) {
    self.upstream = upstream
    self.cleanup = cleanup
    super.init(role: .observer) { node, source in
      let node = unsafeDowncast(node, to: CleaningNode.self)
      if node === source { return node.runCallback() }
      node.cleanUp()
      return .noWaiters
    }
  }

  private func cleanUp() {
    let cleanup = self.cleanup!
    self.cleanup = nil
    let cleaned: Future<Void>
    do { cleaned = try cleanup() } catch { cleaned = Future<Void>(error: error) }
    cleaned.whenComplete { self.finish($0) }
  }

  private func finish(_ cleaned: Result<Void, any Error>) {
    let upstream = self.upstream!
    let waiters: StateWord
    if case .failure(let error) = cleaned, upstream.hasValue {
      waiters = failFromStep(error)
    } else {
      waiters = adoptFromStep(upstream)
    }
    if isCancelled { return arrive(.partsHaveEnded) }
    self.upstream = nil
    deliver(waiters)
  }

  private func arrive(_ arrival: OutcomePhase.Arrival) {
    guard phase.arrive(arrival) else { return }
    upstream = nil
    deliveries.take()?.deliver()
  }

  override func cancelSources(thenDeliver deliveries: PendingDeliveries) -> Bool {
    let upstream = self.upstream!
    let cancellation = upstream.withdraw(self)
    if cancellation == nil, !upstream.word(.acquiring).isSettled {
      arrive(.waitersAreKnown)
      deliveries.deliver()
      return true
    }
    self.deliveries = deliveries
    arrive(.waitersAreKnown)
    if let cancellation { DeliveryQueue.current.cancelInTurn { cancellation.finish(upstream) } }
    return true
  }

  override var isWithdrawn: Bool { false }
  override var isWanting: Bool { !word(.acquiring).isSettled }
}
