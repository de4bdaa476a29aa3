import CContextSwitch
import Foundation
import RuntimeSupport
import Synchronization

/// The threads of a pool, and their shared state.
final class WorkerGroup: @unchecked Sendable {
  /// The queues for jobs that are not on a worker's own ring, in the order in which workers check them.
  enum Lane: Int, CaseIterable { case urgent, shared, background }

  /// The jobs of one lane (urgent, shared or background). Any thread adds jobs, and any worker takes them.
  private struct LaneJobs: ~Copyable {
    var queue = RingBuffer<PoolJob>()
    /// The number of jobs. Read without the lock, it is only a hint.
    let count = Atomic<Int>(0)
  }

  // Invariant: `lanes`, `asleep`, `isStopping` and `isOver` are touched under `lock`. Before a worker sleeps, it increments
  // `sleepingCount`, sets `isAsleep`, and then checks every queue. A thread that adds work first adds it, and then reads both
  // variables. All are sequentially consistent, so one thread sees the other's write.
  private let lock = NSLock()
  // The jobs by `Lane.rawValue`. They are not objects, because a worker would retain one before every job.
  private let lanes = UnsafeMutablePointer<LaneJobs>.allocate(capacity: Lane.allCases.count)
  private let workers: UnsafeMutableBufferPointer<WorkerPointer>
  private var asleep: [WorkerPointer] = []
  private let sleepingCount = Atomic<Int>(0)
  private var isStopping = false
  /// Whether the threads have ended or are about to end. A later job runs on the thread that adds it.
  private var isOver = false
  private let threads = DispatchGroup()

  /// The group's number, which is part of its workers' ids.
  private let number = WorkerGroup.lastNumber.add(1, ordering: .relaxed).newValue
  private static let lastNumber = Atomic<UInt>(0)
  private static let indexBitCount: UInt = 16

  init(count: Int) {
    precondition(count < 1 << Self.indexBitCount, "a pool has at most 65 535 workers, not \(count)")
    let number = number
    workers = .allocate(capacity: count)
    for index in 0..<count {
      let worker = WorkerPointer.allocate(capacity: 1)
      worker.initialize(to: Worker(id: number << Self.indexBitCount | UInt(index)))
      workers.initializeElement(at: index, to: worker)
    }
    for lane in Lane.allCases { (lanes + lane.rawValue).initialize(to: LaneJobs()) }
  }

  deinit {
    for worker in workers {
      worker.deinitialize(count: 1)
      worker.deallocate()
    }
    workers.deallocate()
    lanes.deinitialize(count: Lane.allCases.count)
    lanes.deallocate()
  }

  func start(name: String) {
    for (index, worker) in workers.enumerated() {
      threads.enter()
      // The thread's closure retains the group, which owns the worker's memory.
      nonisolated(unsafe) let worker = worker
      Thread {
        // On Linux `Thread.name` is lost if it is set before the thread runs, or soon after.
        context_name_thread("\(name)-\(index)")
        self.run(worker)
        self.threads.leave()
      }.start()
    }
  }

  func add(_ job: PoolJob) {
    if let worker = worker(context_thread_current().pointee.pool_worker), worker.pointee.ring.push(job) {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if sleepingCount.load(ordering: .relaxed) > 0 { wakeOne() }
      return
    }
    add(job, to: .shared)
  }

  func add(_ job: PoolJob, to lane: Lane) {
    lock.lock()
    if isOver {
      lock.unlock()
      job.run()
      return
    }
    lanes[lane.rawValue].queue.append(job)
    lanes[lane.rawValue].count.add(1, ordering: .sequentiallyConsistent)
    let woken = takeSleeper()
    lock.unlock()
    woken?.pointee.alarm.signal()
  }

  /// Adds a coroutine to a lane. If it began on a worker of this group, only that worker runs it; otherwise any worker may.
  func add(_ coroutine: ReadyCoroutine, to lane: Lane) {
    let fiber = coroutine.fiber
    guard let worker = worker(fiber.pointee.worker) else {
      if lane == .shared { add(PoolJob(coroutine)) } else { add(PoolJob(coroutine), to: lane) }
      return
    }
    fiber.pointee.lane = lane
    if context_thread_current().pointee.pool_worker == worker.pointee.id {
      worker.append(fiber)
    } else if !worker.deliver(fiber) {
      coroutine.run()
    } else if worker.pointee.isAsleep.load(ordering: .sequentiallyConsistent) {
      wake(worker)
    }
  }

  func stop() {
    lock.lock()
    isStopping = true
    endIfIdle()
    lock.unlock()
  }

  func waitUntilStopped() {
    precondition(
      worker(context_thread_current().pointee.pool_worker) == nil,
      "a thread of the pool cannot wait for its own end: call shutDown on another thread")
    threads.wait()
  }

  /// The worker with this id. `nil` if it belongs to another group.
  private func worker(_ id: UInt) -> WorkerPointer? {
    id >> Self.indexBitCount == number ? workers[Int(id & (1 << Self.indexBitCount - 1))] : nil
  }

  private func run(_ worker: WorkerPointer) {
    let thread = context_thread_current()
    thread.pointee.pool_worker = worker.pointee.id
    var generator = UInt32(truncatingIfNeeded: worker.pointee.id) &* 2_654_435_761 | 1
    var turn: UInt = 0
    func work() {
      while let job = next(worker, turn, &generator) {
        turn &+= 1
        job.run()
      }
    }
    repeat { work() } while sleep(worker)
    // The group is over. This thread runs the coroutines that were delivered late. If these add jobs, other threads run them.
    while !worker.close() { work() }
    thread.pointee.pool_worker = 0
  }

  private func next(_ worker: WorkerPointer, _ turn: UInt, _ generator: inout UInt32) -> PoolJob? {
    worker.collect()
    // Occasionally, another queue comes first, so that a queue that is never empty does not starve the others.
    switch turn % 61 {
    case 60: if let job = take(from: .shared) { return job }
    case 40: if let job = take(.shared, worker, turn, or: { worker.pointee.ring.pop() }) { return job }
    case 20: if let job = take(.background, worker, turn, or: { take(from: .background) }) { return job }
    default: break
    }
    if let job = take(.urgent, worker, turn, or: { take(from: .urgent) }) { return job }
    if let job = take(.shared, worker, turn, or: { worker.pointee.ring.pop() }) { return job }
    if let job = take(from: .shared) { return job }
    // Marsaglia's xorshift chooses the first victim, so that thieves begin at different ones.
    generator ^= generator << 13
    generator ^= generator >> 17
    generator ^= generator << 5
    for offset in 0..<workers.count {
      let victim = workers[(Int(generator) + offset) % workers.count]
      if victim != worker, let job = worker.pointee.ring.steal(from: victim.pointee.ring) {
        // Other jobs were stolen, too, so a sleeping worker may take some of them.
        if !worker.pointee.ring.isEmpty, sleepingCount.load(ordering: .relaxed) > 0 { wakeOne() }
        return job
      }
    }
    return take(.background, worker, turn, or: { take(from: .background) })
  }

  /// Takes a coroutine that began on this worker, or a new job. Which of the two comes first alternates.
  private func take(_ lane: Lane, _ worker: WorkerPointer, _ turn: UInt, or other: () -> PoolJob?) -> PoolJob?
  {
    turn % 2 == 0 ? worker.take(from: lane) ?? other() : other() ?? worker.take(from: lane)
  }

  private func take(from lane: Lane) -> PoolJob? {
    let jobs = lanes + lane.rawValue
    if jobs.pointee.count.load(ordering: .relaxed) == 0 { return nil }
    lock.lock()
    defer { lock.unlock() }
    if jobs.pointee.queue.isEmpty { return nil }
    jobs.pointee.count.subtract(1, ordering: .relaxed)
    return jobs.pointee.queue.removeFirst()
  }

  private func wakeOne() {
    let woken = lock.withLock { takeSleeper() }
    woken?.pointee.alarm.signal()
  }

  private func wake(_ worker: WorkerPointer) {
    let isWoken = lock.withLock {
      guard let index = asleep.firstIndex(of: worker) else { return false }
      asleep.remove(at: index)
      rouse(worker)
      return true
    }
    if isWoken { worker.pointee.alarm.signal() }
  }

  /// Removes and returns a sleeping worker. Call it under the lock, then signal the worker's alarm.
  private func takeSleeper() -> WorkerPointer? {
    let worker = asleep.popLast()
    if let worker { rouse(worker) }
    return worker
  }

  private func rouse(_ worker: WorkerPointer) {
    worker.pointee.isAsleep.store(false, ordering: .relaxed)
    sleepingCount.subtract(1, ordering: .relaxed)
  }

  /// Waits until there may be work. Returns false if the worker's thread must end.
  private func sleep(_ worker: WorkerPointer) -> Bool {
    lock.lock()
    worker.pointee.isAsleep.store(true, ordering: .sequentiallyConsistent)
    sleepingCount.add(1, ordering: .sequentiallyConsistent)
    let isWorkThere =
      worker.hasDeliveries || workers.contains { !$0.pointee.ring.isEmpty }
      || Lane.allCases.contains { !lanes[$0.rawValue].queue.isEmpty }
    if isWorkThere {
      rouse(worker)
      lock.unlock()
      return true
    }
    asleep.append(worker)
    endIfIdle()
    lock.unlock()
    worker.pointee.alarm.wait()
    return !worker.pointee.hasToEnd
  }

  /// Ends all threads at once if all are idle. An idle thread may still receive a coroutine that only it can run, so none ends
  /// earlier. Call it under the lock.
  private func endIfIdle() {
    let isIdle = asleep.count == workers.count && !workers.contains { $0.hasDeliveries }
    guard isStopping, isIdle else { return }
    isOver = true
    while let worker = takeSleeper() {
      worker.pointee.hasToEnd = true
      worker.pointee.alarm.signal()
    }
  }
}
