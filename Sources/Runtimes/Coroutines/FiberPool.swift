import CContextSwitch
import Foundation

/// Free fibers, by the size of their stacks. Each thread keeps a few; the others are shared. A limited number of shared fibers
/// keep their stacks' memory, and the rest keep only their addresses.
enum FiberPool {
  /// The default size of a stack: twice what `"\(value)"` needs in a debug build when it first describes a value by reflection.
  /// The Swift runtime takes 40 KiB of that for the metadata of mirrors; Foundation's formatters take 17 KiB.
  @inline(__always) static var standardStackByteCount: Int { 128 * 1024 * frameScale }
  /// The factor for stack sizes: frames are larger in a sanitized build.
  @inline(__always) private static var frameScale: Int { context_is_sanitized ? 4 : 1 }
  private static let fibersPerSlab = 64
  private static let largestSlabByteCount = 64 << 20
  /// A thread that has no fiber takes this many from the shared ones. A thread with twice as many gives this many back.
  private static let batchCount = 64
  /// The memory that shared stacks may keep. If a million calls are answered in the order in which they arrive, about 200 000
  /// coroutines are suspended at a time; their stacks stay within 1 GiB.
  private static let warmByteCount = 3 << 28

  /// The shared free fibers of one size.
  private struct Shared {
    // Invariant: a free fiber is in only one list, and the thread that takes it out owns it.
    var warm: [FiberPointer] = []
    var cold: [FiberPointer] = []
  }

  // Invariant: `pools` is touched only inside `withPools`. Thread Sanitizer does not see the locking of a `Mutex` here.
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
    // The limit keeps the sum below from overflowing; a size that large fails later, when the system gives no memory.
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

  /// The number of shared fibers that may keep their memory. It assumes four pages for each stack; a larger `count` is checked
  /// against the resident pages of `fiber`. Most stacks touch one page, which costs as much to get again as the rest of a
  /// coroutine.
  private static func warmCount(_ count: Int, like fiber: FiberPointer) -> Int {
    let assumed = warmByteCount / (4 * context_page_size())
    if count <= assumed { return assumed }
    return warmByteCount / (max(1, fiber.pointee.stack.residentPageCount) * context_page_size())
  }

  private static func makeSlab(stackByteCount: Int) -> [FiberPointer] {
    let count = max(1, min(fibersPerSlab, largestSlabByteCount / stackByteCount))
    guard let stacks = Stack.mapSlab(count: count, byteCount: stackByteCount) else { return [] }
    // This memory holds an array of fibers, each on its own cache lines, and is never freed.
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
  /// Removes and returns up to `count` of the last elements.
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

  /// Maps `count` stacks with one mapping, so that a million stacks stay below the kernel's limit of 65 530 mappings. Returns
  /// `nil` if the system gives no more. Without lightweight guards (Linux before 6.13), each guard splits the mapping, so about
  /// 32 000 stacks reach the limit unless `vm.max_map_count` is raised.
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

  /// Stacks that begin at the same offset in a page compete for the same few sets of the processor's caches. Four offsets
  /// within the first page spread suspended coroutines over four times as many sets.
  private static func colour(_ index: Int) -> Int { index % 4 * 512 }

  /// The number of the stack's pages that are in memory.
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
