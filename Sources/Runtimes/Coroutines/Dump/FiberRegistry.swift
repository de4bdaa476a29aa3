/// All fibers there are, free ones too: their memory is never given back, so it can be looked at at any moment.
enum FiberRegistry {
  // Invariant: `slabs` is touched, and a fiber's name read by others or changed, only under the lock. Not `Mutex`, whose
  // locking Thread Sanitizer does not see here.
  private static let lock = CoLock()
  nonisolated(unsafe) private static var slabs: [FiberSlab] = []

  static func withLock<Result>(_ body: (inout [FiberSlab]) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&slabs)
  }
}

/// Fibers beside each other, each on cache lines of its own.
struct FiberSlab: @unchecked Sendable {
  // Invariant: never given back.
  private let base: UnsafeMutableRawPointer
  let count: Int

  private static let cacheLine = 64
  private static let stride = (MemoryLayout<Fiber>.size + cacheLine - 1) / cacheLine * cacheLine

  init(_ stacks: [Stack]) {
    count = stacks.count
    base = .allocate(byteCount: count * Self.stride, alignment: Self.cacheLine)
    for (index, stack) in stacks.enumerated() {
      let fiber = self[index]
      fiber.initialize(to: Fiber(stack: stack))
      fiber.linkDetails()
    }
  }

  subscript(index: Int) -> FiberPointer {
    (base + index * Self.stride).assumingMemoryBound(to: Fiber.self)
  }
}
