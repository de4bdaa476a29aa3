import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct SoleReferenceTests {
  private final class Thing {}

  /// Made where no local variable of a test holds another reference.
  @inline(never) private func make() -> Unmanaged<Thing> { .passRetained(Thing()) }

  @Test func `an object without other references is sole, also after they were released`() {
    let thing = make()
    #expect(thing.isSole(soleReferenceWord))
    _ = thing.retain()
    #expect(!thing.isSole(soleReferenceWord))
    thing.release()
    #expect(thing.isSole(soleReferenceWord))
    thing.release()
  }

  @Test func `a weak reference counts even after it is gone`() {
    let thing = make()
    weak var weakly: Thing?
    thing._withUnsafeGuaranteedRef { weakly = $0 }
    #expect(!thing.isSole(soleReferenceWord) && weakly != nil)
    weakly = nil
    #expect(!thing.isSole(soleReferenceWord))
    thing.release()
  }

  @Test func `an unowned reference counts while it is there`() {
    struct Knower { unowned var thing: Thing }
    let thing = make()
    var knowers = thing._withUnsafeGuaranteedRef { [Knower(thing: $0)] }
    #expect(!thing.isSole(soleReferenceWord) && knowers.count == 1)
    knowers = []
    #expect(thing.isSole(soleReferenceWord))
    thing.release()
  }

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
