import Synchronization

/// Comes between a retain and the plain atomic store that tells another thread it may let go of the same object.
///
/// LLVM (`LLVMARCOpts`, Swift 6.3) moves a retain behind a store in the same block, atomic or not; by the time of the retain the
/// other thread may have freed the object. It moves none behind a fence. A read-modify-write, such as `exchange`, needs none. On
/// x86 this is no instruction.
@inlinable @inline(__always)
package func keepRetainsAhead() { atomicMemoryFence(ordering: .releasing) }
