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
