import RawThreads
import Synchronization

/// A first-in, first-out queue from many threads to a few that sleep when it is empty.
final class WorkQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements = FirstInFirstOut<Element>()
    var idle: [Parker] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Adds an element and wakes one thread if one sleeps.
  func push(_ element: Element) {
    state.withLock { state in
      state.elements.append(element)
      return state.idle.popLast()
    }?.unpark()
  }

  /// The oldest element, waiting for one on the caller's own parker; nil once the queue is closed and empty.
  func pop(waitingOn parker: Parker) -> Element? {
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

  /// Lets the threads end once the queue is empty; nothing may be pushed any more.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for parker in idle { parker.unpark() }
  }
}

/// A queue on one thread; what has left it goes in bulk, so that leaving costs the same however long it is.
struct FirstInFirstOut<Element> {
  private var elements: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() {
    head += 1
    guard head == elements.count || head >= max(1024, elements.count / 2) else { return }
    elements.removeFirst(head)
    head = 0
  }
}
