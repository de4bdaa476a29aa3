import TestSupport
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

  /// The worker pushes and pops while thieves steal: nothing is lost, nothing comes twice.
  @Test func `every job comes out once under thieves`() async {
    let (ring, done, log) = (Ring(), Counter(), Jobs())
    let count = 20_000
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<count {
          let job = log.job(number)
          while !ring.push(job) { ring.pop()?.run() }
          if number % 3 == 0 { ring.pop()?.run() }
        }
        while let job = ring.pop() { job.run() }
        done.add()
      }
      for _ in 0..<2 {
        group.addTask {
          let own = Ring()
          while done.current == 0 {
            own.steal(from: ring)?.run()
            while let job = own.pop() { job.run() }
          }
        }
      }
    }
    #expect(log.all.sorted() == Array(0..<count))
  }
}
