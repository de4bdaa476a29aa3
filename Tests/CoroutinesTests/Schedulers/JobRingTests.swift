import TestSupport
import Synchronization
import Testing

@testable import Coroutines

@Suite(.ownThread) struct JobRingTests {
  private struct Jobs: Sendable {
    private let log = Log<Int>()
    func job(_ number: Int) -> PoolJob { PoolJob { log.append(number) } }
    var all: [Int] { log.entries }
  }

  /// A ring as an object, which expectations and tasks can hold.
  private final class Ring: Sendable {
    private let ring = JobRing()
    func push(_ job: PoolJob) -> Bool { ring.push(job) }
    func pop() -> PoolJob? { ring.pop() }
    func steal(from victim: Ring) -> PoolJob? { ring.steal(from: victim.ring) }
  }

  private final class Shared: Sendable {
    let ring = Ring()
    let isDone = Atomic<Bool>(false)
  }

  /// The worker pushes and pops while thieves steal: nothing is lost, nothing comes twice.
  @Test func `every job comes out once under thieves`() async {
    let (shared, log) = (Shared(), Jobs())
    let count = 20_000
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<count {
          let job = log.job(number)
          while !shared.ring.push(job) { shared.ring.pop()?.run() }
          if number % 3 == 0 { shared.ring.pop()?.run() }
        }
        while let job = shared.ring.pop() { job.run() }
        shared.isDone.store(true, ordering: .releasing)
      }
      for _ in 0..<2 {
        group.addTask {
          let own = Ring()
          while !shared.isDone.load(ordering: .acquiring) {
            own.steal(from: shared.ring)?.run()
            while let job = own.pop() { job.run() }
          }
        }
      }
    }
    #expect(log.all.sorted() == Array(0..<count))
  }
}
