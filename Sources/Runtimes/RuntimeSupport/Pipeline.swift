import Dispatch
import Synchronization

/// Reads inputs ahead into a bounded buffer, works on a few at a time, and keeps the results in order.
///
/// Inputs are read on a queue, one after another, while there is room. No more than `buffer` of them (the one being read
/// among them; with a buffer of 0 that one alone) and `limit` being worked on exist at any moment. The first failure, of
/// reading or of the work, cancels what is being worked on before it is told.
///
/// One thread at a time starts and ends: whoever changes the state meanwhile leaves the rest to it. Nothing is called under
/// the lock.
public final class Pipeline<Input: Sendable, Output: Sendable>: Sendable {
  public typealias Completion<Value> = @Sendable (Result<Value, any Error>) -> Void
  /// Reads the next input; nil: there are no more.
  public typealias Read = @Sendable () throws -> Input?
  /// Starts the work on an input, and says how to cancel it.
  public typealias Start = @Sendable (Input, @escaping Completion<Output>) throws -> @Sendable () -> Void

  private let queue: DispatchQueue
  private let state: Mutex<PipelineState<Input, Output>>

  public init(
    buffer: Int, limit: Int, on queue: DispatchQueue, read: @escaping Read, start: @escaping Start,
    completion: @escaping Completion<[Output]>
  ) {
    precondition(buffer >= 0, "a buffer of \(buffer) cannot be; it must be 0 or more")
    precondition(limit > 0, "a limit of \(limit) in flight starts nothing; it must be at least 1")
    self.queue = queue
    state = Mutex(
      PipelineState(
        capacity: max(1, buffer), limit: limit, read: read, start: start, completion: completion))
  }

  /// Begins to read, unless it was cancelled before. Called once.
  public func begin() { advance() }

  /// Ends the work with `CancellationError`; calls `action` once nothing is being read or started any more.
  public func cancel(then action: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { $0.cancel(then: action) }
    if isOver { action() } else { advance() }
  }

  private func advance() {
    guard state.withLock({ $0.beginAdvancing() }) else { return }
    while takeStep() {}
  }

  /// A function of its own, so that an input is let go of before the next step.
  private func takeStep() -> Bool {
    switch state.withLock({ $0.nextStep() }) {
    case nil: return false
    case .read(let read)?: queue.async { self.readAhead(read) }
    case .start(let index, let input, let start)?: work(on: input, at: index, start)
    case .cancel(let running)?: for cancel in running { cancel() }
    case .end(let result, let completion, let action)?:
      completion(result)
      action?()
    }
    return true
  }

  private func readAhead(_ read: Read) {
    while accept(read) { advance() }
    advance()
  }

  /// Reads one input. Returns whether there is room for another.
  private func accept(_ read: Read) -> Bool {
    let result = Result { try read() }
    return state.withLock { $0.accept(result) }
  }

  private func work(on input: Input, at index: Int, _ start: Start) {
    do {
      let cancel = try start(input) { result in
        if self.state.withLock({ $0.finish(index, result) }) { self.advance() }
      }
      state.withLock { $0.keep(cancel, for: index) }
    } catch {
      _ = state.withLock { $0.finish(index, .failure(error)) }
    }
  }
}
