import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct CacheLinesTests {
  @Test func `neighbours are at least a pair of cache lines apart`() {
    struct Apart {
      var before: UInt8 = 0
      let distance = CacheLines()
      var behind: UInt8 = 0
    }
    let distance = MemoryLayout<Apart>.offset(of: \.behind)! - MemoryLayout<Apart>.offset(of: \.before)!
    #expect(distance >= 128)
  }
}
