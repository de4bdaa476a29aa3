/// An element of a `NodeList`. The links belong to the list.
@usableFromInline protocol ListNode {
  var next: UnsafeMutablePointer<Self>? { get set }
  var previous: UnsafeMutablePointer<Self>? { get set }
  var isListed: Bool { get set }
}

/// Nodes that keep their addresses while they are listed, in the order of insertion.
@usableFromInline struct NodeList<Node: ListNode> {
  // Invariant: the links of listed nodes are touched under a lock of the list's owner.
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

  /// Removes the node if it is listed.
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

/// Fibers in the order of insertion.
struct FiberQueue {
  // Invariant: linked through the fibers, which are claimed: they are in no other list.
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

/// Fibers whose waits have ended, to be made ready outside of a lock.
struct ReadyFibers {
  private var fibers = FiberQueue()

  /// Ends a claim, and adds the fiber if it has left its stack.
  mutating func append(_ suspension: Suspension, _ claim: Claim) {
    if suspension.end(claim) { fibers.append(suspension.fiber) }
  }

  func makeReady() {
    // Read before the fiber runs, and may be in another list.
    var fiber = fibers.first
    while let ready = fiber {
      fiber = ready.pointee.next
      ready.makeReady()
    }
  }
}
