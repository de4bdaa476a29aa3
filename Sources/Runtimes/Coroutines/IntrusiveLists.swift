/// An element of a `NodeList`. Only the list touches the links.
@usableFromInline protocol ListNode {
  var next: UnsafeMutablePointer<Self>? { get set }
  var previous: UnsafeMutablePointer<Self>? { get set }
  var isListed: Bool { get set }
}

/// A list of nodes in the order of insertion. A node keeps its address while it is in the list.
@usableFromInline struct NodeList<Node: ListNode> {
  // Invariant: the list's owner touches the nodes' links only under its own lock.
  @usableFromInline var first: UnsafeMutablePointer<Node>?
  @usableFromInline var last: UnsafeMutablePointer<Node>?

  @inlinable init() {}

  @inlinable var isEmpty: Bool { first == nil }

  @inlinable mutating func append(_ node: UnsafeMutablePointer<Node>) {
    node.pointee.next = nil
    node.pointee.previous = last
    node.pointee.isListed = true
    if let last { last.pointee.next = node } else { first = node }
    last = node
  }

  @inlinable mutating func remove(_ node: UnsafeMutablePointer<Node>) {
    guard node.pointee.isListed else { return }
    let (next, previous) = (node.pointee.next, node.pointee.previous)
    if let previous { previous.pointee.next = next } else { first = next }
    if let next { next.pointee.previous = previous } else { last = previous }
    node.pointee.isListed = false
  }

  @inlinable mutating func removeFirst() -> UnsafeMutablePointer<Node>? {
    guard let first else { return nil }
    remove(first)
    return first
  }
}

struct FiberQueue {
  // Invariant: the queue links fibers by their `next`, so a fiber in the queue is in no other list.
  private(set) var first: FiberPointer?
  private var last: FiberPointer?

  mutating func append(_ fiber: FiberPointer) {
    fiber.pointee.next = nil
    if let last { last.pointee.next = fiber } else { first = fiber }
    last = fiber
  }

  mutating func removeFirst() -> FiberPointer? {
    guard let fiber = first else { return nil }
    first = fiber.pointee.next
    if first == nil { last = nil }
    return fiber
  }
}

/// Fibers whose waits were ended under a lock, to be made ready after the unlock.
struct ReadyFibers {
  private var fibers = FiberQueue()

  /// Ends a wait after a successful `claim`. Adds the fiber if its coroutine has left the stack and must be resumed.
  mutating func append(_ suspension: Suspension, _ claim: Claim) {
    if suspension.end(claim) { fibers.append(suspension.fiber) }
  }

  func makeReady() {
    // Reads `next` first, because the fiber may be in another list once it is ready.
    var fiber = fibers.first
    while let ready = fiber {
      fiber = ready.pointee.next
      ready.makeReady()
    }
  }
}
