/// Something due at a time, that knows where in the heap it lies.
protocol DeadlineHeapElement: AnyObject {
  var deadlineNanoseconds: UInt64 { get }
  /// Kept by the heap; nil outside of it.
  var heapPosition: Int? { get set }
}

/// A binary min-heap of deadlines (Williams, 1964); what is due at the same time leaves in the order in which it came.
struct DeadlineHeap<Element: DeadlineHeapElement> {
  private struct Entry {
    let deadlineNanoseconds: UInt64
    let arrival: UInt64
    let element: Element

    static func < (a: Entry, b: Entry) -> Bool {
      (a.deadlineNanoseconds, a.arrival) < (b.deadlineNanoseconds, b.arrival)
    }
  }

  private var entries: [Entry] = []
  private var arrivals: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  /// What is due first.
  var first: Element? { entries.first?.element }

  mutating func insert(_ element: Element) {
    let entry = Entry(deadlineNanoseconds: element.deadlineNanoseconds, arrival: arrivals, element: element)
    arrivals += 1
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// Takes out an element, wherever it lies; nothing happens if it is not in the heap.
  mutating func remove(_ element: Element) {
    guard let position = element.heapPosition else { return }
    element.heapPosition = nil
    let last = entries.removeLast()
    guard position < entries.count else { return }
    // The last entry takes the free place and moves whichever way it must.
    if position > 0, last < entries[(position - 1) / 2] {
      siftUp(last, from: position)
    } else {
      siftDown(last, from: position)
    }
  }

  private mutating func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry < entries[parent] else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
      guard entries[child] < entry else { break }
      place(entries[child], at: position)
      position = child
    }
    place(entry, at: position)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    entry.element.heapPosition = position
  }
}
