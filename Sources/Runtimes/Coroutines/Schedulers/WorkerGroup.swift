import CContextSwitch
import Foundation
import RuntimeSupport
import Synchronization

/// The threads of a pool, and what they share.
final class WorkerGroup: @unchecked Sendable {
  /// Where jobs go that are not on a worker's own queue, in the order in which workers look there.
  enum Lane: Int, CaseIterable { case urgent, shared, background }

  /// The jobs of a lane, which any thread adds and any worker takes.
  private struct LaneJobs: ~Copyable {
    var queue = RingBuffer<PoolJob>()
    /// How many there are, as a hint to whoever does not hold the lock.
    let count = Atomic<Int>(0)
  }

  // Invariant: the lanes, `isStopping` and `liveCount` are touched under `condition`. A worker's ring is pushed to by its
  // own thread only. Nobody sleeps who has not counted itself in `sleepingCount` and then looked at every queue again;
  // whoever adds a job adds it first and then looks at `sleepingCount`. Both are sequentially consistent: one sees the
  // other.
  private let condition = NSCondition()
  // By `Lane.rawValue`, and no objects: a worker looks at each of them before every job, and would retain it.
  private let lanes = UnsafeMutablePointer<LaneJobs>.allocate(capacity: Lane.allCases.count)
  private let sleepingCount = Atomic<Int>(0)
  private var isStopping = false
  private var liveCount: Int
  private let workers: [Worker]
  // Invariant: set before the threads start. The pool is gone only when no task prefers it, and then no task's job is here.
  nonisolated(unsafe) var executor: UnownedTaskExecutor?

  /// One thread's own.
  private final class Worker: Sendable {
    let index: Int
    let ring = JobRing()
    init(index: Int) { self.index = index }
  }

  init(count: Int) {
    liveCount = count
    workers = (0..<count).map { Worker(index: $0) }
    for lane in Lane.allCases { (lanes + lane.rawValue).initialize(to: LaneJobs()) }
  }

  deinit {
    lanes.deinitialize(count: Lane.allCases.count)
    lanes.deallocate()
  }

  func start(name: String) {
    for worker in workers {
      Thread {
        // `Thread.name` does not work here: on Linux a name that is set before the thread runs, or soon after, is lost.
        context_name_thread("\(name)-\(worker.index)")
        self.run(worker)
      }.start()
    }
  }

  func add(_ job: PoolJob) {
    if let worker = currentWorker, worker.ring.push(job) {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if sleepingCount.load(ordering: .relaxed) > 0 { wakeOne() }
      return
    }
    add(job, to: .shared)
  }

  func add(_ job: PoolJob, to lane: Lane) {
    condition.lock()
    if liveCount == 0 {
      condition.unlock()
      job.run(on: executor)
      return
    }
    lanes[lane.rawValue].queue.append(job)
    lanes[lane.rawValue].count.add(1, ordering: .sequentiallyConsistent)
    condition.signal()
    condition.unlock()
  }

  func stop() {
    condition.withLock {
      isStopping = true
      condition.broadcast()
    }
  }

  func waitUntilStopped() {
    precondition(currentWorker == nil, "a pool cannot shut down from one of its own threads")
    condition.withLock { while liveCount > 0 { condition.wait() } }
  }

  // MARK: On a worker's thread

  private var currentWorker: Worker? {
    let thread = context_thread_current()
    guard thread.pointee.pool == Unmanaged.passUnretained(self).toOpaque() else { return nil }
    return workers[thread.pointee.pool_worker]
  }

  private func run(_ worker: Worker) {
    let thread = context_thread_current()
    thread.pointee.pool = Unmanaged.passUnretained(self).toOpaque()
    thread.pointee.pool_worker = worker.index
    var generator = UInt32(truncatingIfNeeded: worker.index) &* 2_654_435_761 | 1
    var turn: UInt = 0
    repeat {
      while let job = next(worker, turn, &generator) {
        turn &+= 1
        job.run(on: executor)
      }
    } while sleep()
    thread.pointee.pool = nil
  }

  private func next(_ worker: Worker, _ turn: UInt, _ generator: inout UInt32) -> PoolJob? {
    // Now and then one of the others comes first, so that what never empties does not starve them.
    switch turn % 61 {
    case 60: if let job = take(from: .shared) { return job }
    case 40: if let job = worker.ring.pop() { return job }
    case 20: if let job = take(from: .background) { return job }
    default: break
    }
    if let job = take(from: .urgent) { return job }
    if let job = worker.ring.pop() { return job }
    if let job = take(from: .shared) { return job }
    // Marsaglia's xorshift: thieves begin at different victims.
    generator ^= generator << 13
    generator ^= generator >> 17
    generator ^= generator << 5
    for offset in 0..<workers.count {
      let victim = workers[(Int(generator) + offset) % workers.count]
      if victim !== worker, let job = worker.ring.steal(from: victim.ring) {
        // What was stolen besides is there for others.
        if !worker.ring.isEmpty, sleepingCount.load(ordering: .relaxed) > 0 { wakeOne() }
        return job
      }
    }
    return take(from: .background)
  }

  private func take(from lane: Lane) -> PoolJob? {
    let jobs = lanes + lane.rawValue
    if jobs.pointee.count.load(ordering: .relaxed) == 0 { return nil }
    condition.lock()
    defer { condition.unlock() }
    if jobs.pointee.queue.isEmpty { return nil }
    jobs.pointee.count.subtract(1, ordering: .relaxed)
    return jobs.pointee.queue.removeFirst()
  }

  private func wakeOne() { condition.withLock { condition.signal() } }

  /// Waits until there may be work. Returns false if the thread is to end.
  private func sleep() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    sleepingCount.add(1, ordering: .sequentiallyConsistent)
    defer { sleepingCount.subtract(1, ordering: .sequentiallyConsistent) }
    let isWorkThere = Lane.allCases.contains { !lanes[$0.rawValue].queue.isEmpty }
    if isWorkThere || workers.contains(where: { !$0.ring.isEmpty }) { return true }
    if isStopping {
      liveCount -= 1
      if liveCount == 0 { condition.broadcast() }
      return false
    }
    condition.wait()
    return true
  }
}
