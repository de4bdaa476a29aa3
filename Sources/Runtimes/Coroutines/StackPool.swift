import CContextSwitch
import Foundation
import Synchronization

/// A stack of a coroutine's own.
struct Stack: @unchecked Sendable {
  // Invariant: whoever holds the value owns the memory; the pool hands out each stack to one owner at a time.
  /// The address behind the last byte.
  let top: UnsafeMutableRawPointer
  let byteCount: Int
}

/// Stacks of one size: mapped in slabs, touched lazily, guarded below, reused last-in first-out.
///
/// A slab is one mapping of many stacks, so that a million stacks need few mappings (the kernel allows 65 530). The
/// guards are lightweight where the kernel has them; where it has not, each costs a mapping, and beyond the kernel's
/// limit a stack cannot be had.
final class StackPool: Sendable {
  /// The size of a stack, guard included, unless the caller chooses: enough for Foundation's formatters.
  static let standardByteCount = 64 * 1024
  private static let stacksPerSlab = 64
  /// Free stacks beyond these give their memory back to the system; their addresses are kept.
  private static let warmStacks = 4_096

  private static let pools = Mutex<[Int: StackPool]>([:])
  static let standard = pool(stackByteCount: standardByteCount)

  private let byteCount: Int
  private let free = Mutex<[Stack]>([])

  /// The pool of stacks of a size, rounded up to whole pages and to at least four.
  static func pool(stackByteCount: Int) -> StackPool {
    let page = context_page_size()
    let rounded = max(4, (stackByteCount + page - 1) / page) * page
    return pools.withLock { pools in
      if let pool = pools[rounded] { return pool }
      let pool = StackPool(byteCount: rounded)
      pools[rounded] = pool
      return pool
    }
  }

  private init(byteCount: Int) { self.byteCount = byteCount }

  func take() -> Stack {
    free.withLock { free in
      if free.isEmpty { free = mapSlab() }
      return free.removeLast()
    }
  }

  func giveBack(_ stack: Stack) {
    free.withLock { free in
      if free.count >= Self.warmStacks {
        madvise(
          stack.top - stack.byteCount + context_page_size(), stack.byteCount - context_page_size(),
          MADV_DONTNEED)
      }
      free.append(stack)
    }
  }

  private func mapSlab() -> [Stack] {
    let length = byteCount * Self.stacksPerSlab
    let flags = MAP_PRIVATE | MAP_ANON
    guard let base = mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED else {
      fatalError("no memory for coroutine stacks of \(byteCount) bytes: \(String(cString: strerror(errno)))")
    }
    return (0..<Self.stacksPerSlab).map { index in
      let bottom = base + index * byteCount
      guard context_guard(bottom, context_page_size()) == 0 else {
        fatalError(
          "no guard below a coroutine stack (vm.max_map_count?): \(String(cString: strerror(errno)))")
      }
      return Stack(top: bottom + byteCount, byteCount: byteCount)
    }
  }
}
