/// A first-in, first-out queue whose cost per element does not depend on its length.
@usableFromInline
struct Queue<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable var count: Int { elements.count - head }
  @inlinable var isEmpty: Bool { head == elements.count }

  @inlinable var first: Element? { head < elements.count ? elements[head] : nil }

  @inlinable mutating func append(_ element: Element) { elements.append(element) }

  @inlinable
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  @inlinable
  mutating func removeAll() {
    elements = []
    head = 0
  }
}

extension Queue: Sendable where Element: Sendable {}
