import Dispatch

extension Future {
  /// The same outcome, passed on from a queue: callbacks that wait for it are called there.
  ///
  /// One that is registered after it has arrived is called where it is registered, as always; `map(on:)`,
  /// `flatMap(on:)` and `whenComplete(on:)` run on their queue in any case.
  @inlinable
  public final func delivered(on queue: DispatchQueue) -> Future {
    derive(
      Future(role: .observer) { node, source in
        let node = unsafeDowncast(node, to: Future.self)
        if node === source { return node.runCallback() }
        queue.async {
          node.tellFromQueue(node.adoptFromStep(unsafeDowncast(source, to: Future.self)))
        }
        return .nobody
      })
  }
}

extension DispatchQueue {
  /// Runs the work on this queue; the future has what it returns or throws.
  ///
  /// If the future is cancelled before the work has begun, the work does not run.
  public func future<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) -> Future<Value> {
    let promise = Promise<Value>()
    async {
      if promise.isCancelled { return }
      promise.complete(with: Result { try work() })
    }
    return promise.future
  }
}

extension Future {
  /// Blocks the calling thread until the outcome is known. For tests and command lines.
  ///
  /// Inside a callback it first delivers what that callback has caused, so it does not wait for itself; it
  /// must not be called on a thread or queue that the producer needs, nor in a callback for what a later callback of the
  /// same future brings.
  public final func wait() throws -> Value {
    if !isComplete {
      let queue = DeliveryQueue.current
      let semaphore = DispatchSemaphore(value: 0)
      whenComplete { _ in semaphore.signal() }
      // After the registration: where the outcome is there already, this delivery is what tells of it.
      if queue.pointee.isActive { queue.drain() }
      semaphore.wait()
    }
    // Through `result`: its load of the state orders what the producer wrote before what is read here.
    return try result!.get()
  }
}
