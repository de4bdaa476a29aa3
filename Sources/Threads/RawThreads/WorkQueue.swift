import Foundation
import Synchronization

/// A first-in, first-out queue. Threads that wait for elements sleep.
public final class WorkQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements = FirstInFirstOut<Element>()
    var idle: [Parker] = []
    var isClosed = false

    mutating func wakeAll() -> [Parker] {
      defer { idle = [] }
      return idle
    }
  }

  private let state = Mutex(State())

  public init() {}

  /// Adds an element and wakes a sleeping thread if there is one.
  public func push(_ element: Element) {
    state.withLock { state in
      state.elements.append(element)
      return state.idle.popLast()
    }?.unpark()
  }

  /// Adds all elements and wakes every sleeping thread.
  public func push(_ elements: [Element]) {
    let idle = state.withLock { state in
      for element in elements { state.elements.append(element) }
      return state.wakeAll()
    }
    for parker in idle { parker.unpark() }
  }

  /// Removes the oldest element. Waits for one on the caller's own `parker`. Returns `nil` once the queue is closed and empty.
  public func pop(waitingOn parker: Parker) -> Element? {
    while true {
      let taken: Element?? = state.withLock { state in
        if let first = state.elements.first {
          state.elements.removeFirst()
          return .some(first)
        }
        if state.isClosed { return .some(nil) }
        state.idle.append(parker)
        return nil
      }
      if let taken { return taken }
      parker.park()
    }
  }

  /// Makes `pop` return `nil` once the queue is empty. Push nothing after this call.
  public func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      return state.wakeAll()
    }
    for parker in idle { parker.unpark() }
  }
}

/// A queue for one thread. Frees removed elements in bulk, so that a removal takes constant time.
public struct FirstInFirstOut<Element> {
  private var elements: [Element] = []
  private var head = 0

  public init() {}

  public var isEmpty: Bool { head == elements.count }
  public var first: Element? { isEmpty ? nil : elements[head] }

  public mutating func append(_ element: Element) { elements.append(element) }

  public mutating func removeFirst() {
    head += 1
    guard head == elements.count || head >= max(1024, elements.count / 2) else { return }
    elements.removeFirst(head)
    head = 0
  }
}

/// A thread outside of the queues and pools that are measured.
public final class RawThread: Sendable {
  private let ended = Parker()

  public init(name: String, body: @escaping @Sendable () -> Void) {
    let ended = ended
    let thread = Thread {
      body()
      ended.unpark()
    }
    thread.name = name
    thread.start()
  }

  /// Waits for the body to return. Call it at most once.
  public func join() { ended.park() }
}

/// A value for which one thread waits until another gives it.
public final class PendingAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let parker = Parker()

  public init() {}

  /// Gives the value, on any thread. Only the first call counts.
  public func give(_ value: Value) {
    self.value.withLock { $0 = $0 ?? value }
    parker.unpark()
  }

  /// Blocks until the value is given. Returns `nil` after the deadline. One thread at a time may wait.
  public func wait(untilNanoseconds deadlineNanoseconds: UInt64?) -> Value? {
    while true {
      if let answer = value.withLock({ $0 }) { return answer }
      guard parker.park(untilNanoseconds: deadlineNanoseconds) else { return value.withLock { $0 } }
    }
  }

  public func wait() -> Value { wait(untilNanoseconds: nil)! }
}
