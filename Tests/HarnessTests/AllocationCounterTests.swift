import Foundation
import RawThreads
import Testing

@testable import Harness

#if os(Linux)
  @Suite struct AllocationCounterTests {
    /// Other tests allocate meanwhile, so a known number is the least that must be seen.
    @Test func aKnownNumberOfAllocationsIsSeenAcrossThreads() throws {
      AllocationCounter.reset()
      AllocationCounter.setCounting(true)
      let threads = (0..<4).map { _ in
        RawThread(name: "allocator") { for _ in 0..<1_000 { free(malloc(100)) } }
      }
      for thread in threads { thread.join() }
      AllocationCounter.setCounting(false)
      guard let count = AllocationCounter.count else { return }  // A sanitizer owns the allocator.
      #expect(count.allocations >= 4_000)
      #expect(count.bytes >= 400_000)
    }
  }
#endif
