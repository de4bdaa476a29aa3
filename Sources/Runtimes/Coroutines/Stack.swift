import CContextSwitch
import Foundation

/// A stack: mapped lazily, guarded below.
struct Stack: @unchecked Sendable {
  // Invariant: one fiber owns the memory for ever.
  /// The address behind the last byte.
  let top: UnsafeMutableRawPointer
  let byteCount: Int
  /// Below which the first frame lies.
  let entry: UnsafeMutableRawPointer

  var bottom: UnsafeMutableRawPointer { top - byteCount }

  /// Maps a slab of stacks, which costs one mapping: a million stacks fit the kernel's 65 530.
  ///
  /// The guards are lightweight where the kernel has them; where it has not, each costs a mapping, and beyond the
  /// kernel's limit the process stops with a message.
  static func mapSlab(count: Int, byteCount: Int) -> [Stack] {
    let page = context_page_size()
    let stride = byteCount + page
    guard
      let base = mmap(nil, count * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
      base != MAP_FAILED
    else {
      fatalError("no memory for coroutine stacks of \(byteCount) bytes: \(String(cString: strerror(errno)))")
    }
    keepSmallPages(base, count * stride)
    return (0..<count).map { index in
      let guardPage = base + index * stride
      guard context_guard(guardPage, page) == 0 else {
        fatalError(
          "no guard below a coroutine stack (raise vm.max_map_count): \(String(cString: strerror(errno)))")
      }
      let top = guardPage + stride
      return Stack(top: top, byteCount: byteCount, entry: top - colour(index))
    }
  }

  /// Stacks that begin at the same place of a page compete for the same few sets of the processor's caches: four places
  /// spread a thousand suspended coroutines over four times as many. All lie within the first page.
  private static func colour(_ index: Int) -> Int { index % 4 * 512 }

  /// Gives the memory back to the system and keeps the addresses.
  func release() { madvise(bottom, byteCount, MADV_DONTNEED) }

  /// A huge page would make one touched stack cost as much as 32.
  private static func keepSmallPages(_ base: UnsafeMutableRawPointer, _ length: Int) {
    #if os(Linux)
      madvise(base, length, MADV_NOHUGEPAGE)
    #endif
  }
}
