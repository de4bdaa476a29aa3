import Dispatch
import TestSupport
import RuntimeSupport
import Synchronization
import Testing

@Suite(.ownThread) struct PipelineTests {
  /// Numbers up to `count`, the work on which is ended by hand.
  private final class Job: Sendable {
    let read = Counter()
    let queue = DispatchQueue(label: "reading")
    let running = Guarded<[Int: @Sendable (Result<Int, any Error>) -> Void]>([:])
    let cancelled = Log<Int>()
    let log = Log<String>()
    let ended = DispatchSemaphore(value: 0)

    func pipeline(of count: Int, buffer: Int, limit: Int, readFailsAt: Int? = nil) -> Pipeline<Int, Int> {
      Pipeline(buffer: buffer, limit: limit, on: queue) {
        let number = self.read.add() - 1
        if number == readFailsAt { throw Failure(code: number) }
        return number < count ? number : nil
      } start: { number, completion in
        self.running.withLock { $0[number] = completion }
        return { self.cancelled.append(number) }
      } completion: { result in
        self.log.append("\(result)")
        self.ended.signal()
      }
    }

    var inFlight: [Int] { running.withLock { $0.keys.sorted() } }
    func end(_ number: Int, _ result: Result<Int, any Error>) {
      running.withLock { $0.removeValue(forKey: number) }?(result)
    }
    /// Lets everything that is asked of the queue so far be done.
    func settle() { for _ in 0..<3 { queue.sync {} } }
  }

  @Test(arguments: [(0, 1), (1, 1), (3, 2), (8, 4)])
  func `as many are read as there is room for, and no more`(buffer: Int, limit: Int) {
    let job = Job()
    let pipeline = job.pipeline(of: 100, buffer: buffer, limit: limit)
    pipeline.begin()
    for number in 0..<20 {
      SpinWait.until { job.inFlight.count == limit && job.read.current == number + limit + max(1, buffer) }
      job.settle()
      #expect(job.read.current == number + limit + max(1, buffer))
      #expect(job.inFlight == Array(number..<number + limit))
      job.end(number, .success(number))
    }
    pipeline.cancel {}
    job.ended.wait()
  }

  @Test func `results keep the order of the inputs, and a second result of one is ignored`() {
    let job = Job()
    job.pipeline(of: 3, buffer: 3, limit: 3).begin()
    SpinWait.until { job.inFlight == [0, 1, 2] }
    let first = job.running.withLock { $0[0]! }
    for number in [2, 0, 1] {
      job.end(number, .success(number * 10))
      if number == 0 { first(.success(99)) }
    }
    job.ended.wait()
    #expect(job.log.entries == ["success([0, 10, 20])"])
  }

  @Test func `a failure cancels what is in flight before it is told, and lets go of everything`() {
    let job = Job()
    job.pipeline(of: 100, buffer: 2, limit: 3).begin()
    SpinWait.until { job.inFlight == [0, 1, 2] }
    job.end(1, .failure(Failure(code: 1)))
    job.ended.wait()
    #expect(job.cancelled.entries.sorted() == [0, 2])
    #expect(job.log.entries == ["\(Result<[Int], any Error>.failure(Failure(code: 1)))"])
    job.end(0, .success(0))
    #expect(job.log.entries.count == 1)
  }

  @Test func `what cannot be read is the failure`() {
    let job = Job()
    job.pipeline(of: 100, buffer: 2, limit: 1, readFailsAt: 2).begin()
    job.ended.wait()
    #expect(job.log.entries == ["\(Result<[Int], any Error>.failure(Failure(code: 2)))"])
    #expect(job.cancelled.entries == [0])
  }

  @Test func `a cancellation waits for the read that is under way, and is told once`() {
    let job = Job()
    let isReading = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let told = Counter()
    let pipeline = Pipeline<Int, Int>(buffer: 1, limit: 1, on: job.queue) {
      isReading.signal()
      goOn.wait()
      return 1
    } start: { _, _ in
      Issue.record("nothing starts after a cancellation")
      return {}
    } completion: { _ in
      told.add()
    }
    pipeline.begin()
    isReading.wait()
    pipeline.cancel { job.ended.signal() }
    #expect(told.current == 0)
    goOn.signal()
    job.ended.wait()
    #expect(told.current == 1)
  }

  @Test func `a hundred thousand inputs whose work ends at once need no deep stack`() {
    let job = Job()
    let sum = Atomic<Int>(0)
    Pipeline<Int, Int>(buffer: 4, limit: 2, on: job.queue) {
      let number = job.read.add()
      return number <= 100_000 ? number : nil
    } start: { number, completion in
      completion(.success(number))
      return {}
    } completion: { result in
      sum.store((try? result.get().reduce(0, +)) ?? -1, ordering: .releasing)
      job.ended.signal()
    }.begin()
    job.ended.wait()
    #expect(sum.load(ordering: .acquiring) == 5_000_050_000)
  }
}
