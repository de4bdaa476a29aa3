import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct SoleReferenceTests {
  private final class Thing {}

  /// Made where no local variable of a test holds another reference.
  @inline(never) private func make() -> (thing: Unmanaged<Thing>, fresh: UInt) {
    let thing = Unmanaged.passRetained(Thing())
    return (thing, thing.referenceWord)
  }

  @Test func `an object that nobody else knows is sole, also after others have let go`() {
    let (thing, fresh) = make()
    #expect(thing.isSole(since: fresh))
    _ = thing.retain()
    #expect(!thing.isSole(since: fresh))
    thing.release()
    #expect(thing.isSole(since: fresh))
    thing.release()
  }

  @Test func `a weak reference counts for ever`() {
    let (thing, fresh) = make()
    weak var weakly: Thing?
    thing._withUnsafeGuaranteedRef { weakly = $0 }
    #expect(!thing.isSole(since: fresh) && weakly != nil)
    weakly = nil
    #expect(!thing.isSole(since: fresh))
    thing.release()
  }

  @Test func `an unowned reference counts while it is there`() {
    struct Knower { unowned var thing: Thing }
    let (thing, fresh) = make()
    var knowers = thing._withUnsafeGuaranteedRef { [Knower(thing: $0)] }
    #expect(!thing.isSole(since: fresh) && knowers.count == 1)
    knowers = []
    #expect(thing.isSole(since: fresh))
    thing.release()
  }
}
