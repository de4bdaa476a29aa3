import CContextSwitch
import Foundation

/// A stack: mapped lazily, guarded below.
struct Stack: @unchecked Sendable {
  // Invariant: one fiber owns the memory, which is never unmapped.
  /// The address behind the last byte.
  let top: UnsafeMutableRawPointer
  let byteCount: Int
  /// Below which the first frame lies.
  let entry: UnsafeMutableRawPointer

  var bottom: UnsafeMutableRawPointer { top - byteCount }

  /// Maps a slab of stacks, which costs one mapping: a million stacks fit the kernel's 65 530. Returns nil if the system
  /// gives no more. Without lightweight guards (Linux before 6.13) each guard splits the mapping, and the limit is reached
  /// at some 32 000 stacks, unless `vm.max_map_count` is raised.
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

  /// Stacks that begin at the same place of a page compete for the same few sets of the processor's caches: four places
  /// spread a thousand suspended coroutines over four times as many. All lie within the first page.
  private static func colour(_ index: Int) -> Int { index % 4 * 512 }

  /// How many of its pages are in memory.
  var residentPageCount: Int { context_resident_pages(bottom, top) }

  /// Gives the memory back to the system and keeps the addresses.
  func release() { madvise(bottom, byteCount, MADV_DONTNEED) }

  /// A huge page would make one touched stack cost as much as 32.
  private static func keepSmallPages(_ base: UnsafeMutableRawPointer, _ length: Int) {
    #if os(Linux)
      madvise(base, length, MADV_NOHUGEPAGE)
    #endif
  }
}
