import CContextSwitch
import Foundation

/// Free fibers, by the size of their stacks. Each thread keeps a few; the others are shared. A limited number of shared fibers
/// are warm: they keep their stacks' memory. The rest are cold: they keep only their addresses.
enum FiberPool {
  /// The default size of a stack: twice what `"\(value)"` needs in a debug build when it first describes a value by reflection.
  @inline(__always) static var standardStackByteCount: Int { 128 * 1024 * frameScale }
  /// The factor for stack sizes. Frames are larger in a build with a sanitizer.
  @inline(__always) private static var frameScale: Int { context_is_sanitized ? 4 : 1 }
  private static let fibersPerSlab = 64
  private static let largestSlabByteCount = 64 << 20
  /// A thread that has no fiber takes this many from the shared ones. A thread with twice as many gives this many back.
  private static let batchCount = 64
  /// The memory that shared stacks may keep: enough for about 200 000 stacks that have touched one page.
  private static let warmByteCount = 3 << 28

  private struct Shared {
    // Invariant: a free fiber is in only one list, and the thread that takes it out owns it.
    var warm: [FiberPointer] = []
    var cold: [FiberPointer] = []
  }

  // Invariant: `pools` is touched only inside `withPools`. No `Mutex`, because Thread Sanitizer does not see its locking here.
  private static let lock: CoLock = {
    context_set_thread_exit { FiberPool.spill($0!, count: .max) }
    context_install_overflow_handler()
    return CoLock()
  }()
  nonisolated(unsafe) private static var pools: [Int: Shared] = [:]

  private static func withPools<Result>(_ body: (inout [Int: Shared]) -> Result) -> Result {
    lock.withLock { body(&pools) }
  }

  /// The requested size, rounded up to whole pages.
  static func rounded(_ stackByteCount: Int?) -> Int {
    guard let stackByteCount else { return standardStackByteCount }
    let page = context_page_size()
    // The limit prevents an overflow below. A size that large fails later, when the system gives no memory.
    let byteCount = min(stackByteCount, 1 << 50) * frameScale
    return max(4, (byteCount + page - 1) / page) * page
  }

  /// A fiber that is ready for a switch to it. `nil` if the system gives no memory or mapping for it.
  @inline(__always) static func take(
    stackByteCount: Int, on thread: UnsafeMutablePointer<context_thread>
  ) -> FiberPointer? {
    guard stackByteCount == standardStackByteCount else { return takeOdd(stackByteCount) }
    if thread.pointee.free_fibers == nil { refill(thread) }
    guard let fiber = thread.pointee.free_fibers?.assumingMemoryBound(to: Fiber.self) else { return nil }
    let next = fiber.pointee.next
    // Prefetches the stack for the next start, and the fiber for the start after it.
    next?.prefetchStackForStart()
    next?.pointee.next?.prefetchFiber()
    thread.pointee.free_fibers = next.map { UnsafeMutableRawPointer($0) }
    thread.pointee.free_fiber_count -= 1
    fiber.prepare()
    return fiber
  }

  @inline(__always) static func giveBack(
    _ fiber: FiberPointer, on thread: UnsafeMutablePointer<context_thread>
  ) {
    guard fiber.pointee.stack.byteCount == standardStackByteCount else {
      share([fiber], stackByteCount: fiber.pointee.stack.byteCount)
      return
    }
    keep(fiber, on: thread)
    if thread.pointee.free_fiber_count >= 2 * batchCount { spill(thread, count: batchCount) }
  }

  @inline(__always) private static func keep(
    _ fiber: FiberPointer, on thread: UnsafeMutablePointer<context_thread>
  ) {
    fiber.pointee.next = thread.pointee.free_fibers?.assumingMemoryBound(to: Fiber.self)
    thread.pointee.free_fibers = UnsafeMutableRawPointer(fiber)
    thread.pointee.free_fiber_count += 1
  }

  @inline(never) private static func takeOdd(_ stackByteCount: Int) -> FiberPointer? {
    let fiber = fetch(1, stackByteCount: stackByteCount).first
    fiber?.prepare()
    return fiber
  }

  @inline(never) private static func refill(_ thread: UnsafeMutablePointer<context_thread>) {
    for fiber in fetch(batchCount, stackByteCount: standardStackByteCount) { keep(fiber, on: thread) }
  }

  @inline(never) private static func spill(_ thread: UnsafeMutablePointer<context_thread>, count: Int) {
    var fibers: [FiberPointer] = []
    fibers.reserveCapacity(min(count, thread.pointee.free_fiber_count))
    while fibers.count < count, let fiber = thread.pointee.free_fibers?.assumingMemoryBound(to: Fiber.self) {
      thread.pointee.free_fibers = fiber.pointee.next.map { UnsafeMutableRawPointer($0) }
      thread.pointee.free_fiber_count -= 1
      fibers.append(fiber)
    }
    share(fibers, stackByteCount: standardStackByteCount)
  }

  private static func fetch(_ count: Int, stackByteCount: Int) -> [FiberPointer] {
    let kept = withPools { pools in
      let warm = pools[stackByteCount, default: Shared()].warm.removeLast(atMost: count)
      return warm.isEmpty ? pools[stackByteCount]!.cold.removeLast(atMost: count) : warm
    }
    if !kept.isEmpty { return kept }
    var fresh = makeSlab(stackByteCount: stackByteCount)
    if fresh.count > count {
      share(Array(fresh[count...]), stackByteCount: stackByteCount)
      fresh.removeLast(fresh.count - count)
    }
    return fresh
  }

  private static func share(_ fibers: [FiberPointer], stackByteCount: Int) {
    guard !fibers.isEmpty else { return }
    let sharedCount = withPools { $0[stackByteCount]?.warm.count ?? 0 }
    let warmCount = warmCount(sharedCount + fibers.count, like: fibers[0])
    let surplus = withPools { pools in
      let room = max(0, warmCount - pools[stackByteCount, default: Shared()].warm.count)
      pools[stackByteCount, default: Shared()].warm += fibers.prefix(room)
      return fibers.dropFirst(room)
    }
    for fiber in surplus {
      fiber.pointee.stack.release()
      fiber.pointee.machine.context = nil
    }
    if !surplus.isEmpty { withPools { $0[stackByteCount]!.cold += surplus } }
  }

  /// The number of shared fibers that may keep their stacks' memory. Assumes four resident pages in each stack. If `count`
  /// exceeds the number that fits then, assumes instead that each stack has as many resident pages as that of `fiber`.
  private static func warmCount(_ count: Int, like fiber: FiberPointer) -> Int {
    let assumed = warmByteCount / (4 * context_page_size())
    if count <= assumed { return assumed }
    return warmByteCount / (max(1, fiber.pointee.stack.residentPageCount) * context_page_size())
  }

  private static func makeSlab(stackByteCount: Int) -> [FiberPointer] {
    let count = max(1, min(fibersPerSlab, largestSlabByteCount / stackByteCount))
    guard let stacks = Stack.mapSlab(count: count, byteCount: stackByteCount) else { return [] }
    // An array of fibers, each on its own cache lines. It is never freed.
    let cacheLine = 64
    let stride = (MemoryLayout<Fiber>.size + cacheLine - 1) / cacheLine * cacheLine
    let base = UnsafeMutableRawPointer.allocate(byteCount: stacks.count * stride, alignment: cacheLine)
    return stacks.enumerated().map { index, stack in
      let fiber = (base + index * stride).assumingMemoryBound(to: Fiber.self)
      fiber.initialize(to: Fiber(stack: stack))
      fiber.linkDetails()
      return fiber
    }
  }
}

extension Array {
  fileprivate mutating func removeLast(atMost count: Int) -> [Element] {
    let taken = Array(suffix(count))
    removeLast(taken.count)
    return taken
  }
}

/// A coroutine's stack. The system provides each page when it is first touched. A guard lies below the stack.
struct Stack: @unchecked Sendable {
  // Invariant: one fiber owns the memory, which is never unmapped.
  /// The address after the last byte.
  let top: UnsafeMutableRawPointer
  let byteCount: Int
  /// The address below which the first frame lies.
  let entry: UnsafeMutableRawPointer

  var bottom: UnsafeMutableRawPointer { top - byteCount }

  /// Maps `count` stacks at once, so that a million stacks stay below Linux's limit of 65 530 mappings. Before Linux 6.13, each
  /// guard splits the mapping, so about 32 000 stacks reach the limit. Returns `nil` if the system gives no more.
  static func mapSlab(count: Int, byteCount: Int) -> [Stack]? {
    let guardByteCount = context_guard_size(byteCount)
    let stride = guardByteCount + byteCount
    guard
      let base = mmap(nil, count * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
      base != MAP_FAILED
    else { return nil }
    keepSmallPages(base, count * stride)
    var stacks: [Stack] = []
    for index in 0..<count {
      let stackGuard = base + index * stride
      guard context_guard(stackGuard, guardByteCount) == 0 else {
        munmap(base, count * stride)
        return nil
      }
      let top = stackGuard + stride
      stacks.append(Stack(top: top, byteCount: byteCount, entry: top - colour(index)))
    }
    return stacks
  }

  /// One of four offsets in a page, because stacks that begin at equal offsets compete for the same sets of the CPU's caches.
  private static func colour(_ index: Int) -> Int { index % 4 * 512 }

  var residentPageCount: Int { context_resident_pages(bottom, top) }

  /// Gives the memory back to the system but keeps the addresses.
  func release() { madvise(bottom, byteCount, MADV_DONTNEED) }

  /// Turns huge pages off, because with them a stack that touches one page would take the memory of 32 stacks.
  private static func keepSmallPages(_ base: UnsafeMutableRawPointer, _ length: Int) {
    #if os(Linux)
      madvise(base, length, MADV_NOHUGEPAGE)
    #endif
  }
}
