import ClosureTasks
import Synchronization
import TestSupport
import Testing

/// The parts of a group that end at once, one after another, share a controller, unless somebody could tell.
@Suite(.ownThread) struct SpareControllerTests {
  /// A way to still know the controller of a part that has ended.
  enum Knowledge: CaseIterable { case strong, weak, unowned, handler }

  private struct Unowned { unowned var controller: TaskController<Int> }

  private final class Known: @unchecked Sendable {
    // Invariant: one thread runs all parts.
    var strong: TaskController<Int>?
    weak var weakly: TaskController<Int>?
    var unowned: [Unowned] = []
    var addresses: Set<ObjectIdentifier> = []
  }

  @Test(arguments: Knowledge.allCases)
  func `who knows the controller of a part that has ended never reaches the next part`(_ how: Knowledge) {
    let known = Known()
    let task = ClosureTask<[Int]>.sequence(0..<4) { index in
      ClosureTask { controller in
        let former = how == .weak ? known.weakly : known.strong
        #expect(former?.finish(with: 100) != true)
        former?.cancel()
        switch how {
        case .strong: known.strong = controller
        case .weak: known.weakly = controller
        case .unowned:
          // Never read: it keeps the memory, so that no other object can have the address.
          known.unowned.append(Unowned(controller: controller))
          #expect(known.addresses.insert(ObjectIdentifier(controller)).inserted)
        case .handler: controller.onCancel { Issue.record("part \(index) was not cancelled") }
        }
        controller.finish(with: index)
      }
    }
    let outcome = Outcome(task)
    #expect(outcome.value == [0, 1, 2, 3])
  }

  @Test(arguments: [nil, 1, 3])
  func `parts that end at once take one object`(_ limit: Int?) {
    let seen = Mutex<Set<ObjectIdentifier>>([])
    let task = ClosureTask<[Int]>.group(0..<100, limit: limit) { index in
      ClosureTask { controller in
        seen.withLock { _ = $0.insert(ObjectIdentifier(controller)) }
        controller.finish(with: index)
      }
    }
    let outcome = Outcome(task)
    #expect(outcome.value == Array(0..<100) && seen.withLock { $0.count } == 1)
  }

  @Test func `a part that ends later keeps its controller, and the others share`() {
    let later = Mutex<TaskController<Int>?>(nil)
    let task = ClosureTask<[Int]>.group(0..<10) { index in
      ClosureTask { controller in
        if index == 4 { later.withLock { $0 = controller } } else { controller.finish(with: index) }
      }
    }
    let outcome = Outcome(task)
    #expect(outcome.value == nil)
    later.withLock { $0.take() }?.finish(with: 4)
    #expect(outcome.value == Array(0..<10))
  }

  @Test func `a part that fails ends a sequence of parts that share a controller`() {
    struct Failed: Error {}
    let task = ClosureTask<[Int]>.sequence(0..<10) { index in
      ClosureTask { controller in
        if index == 4 { throw Failed() }
        #expect(index < 4)
        controller.finish(with: index)
      }
    }
    let outcome = Outcome(task)
    #expect(outcome.failure == "Failed()")
  }
}
