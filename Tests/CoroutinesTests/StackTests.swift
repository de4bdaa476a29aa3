import Coroutines
import Dispatch
import Synchronization
import Testing

@Suite struct StackTests {
  private static let address = Atomic<UInt>(0)

  /// Recurses with frames of 1 KiB. Each lets its address out, so that the optimizer keeps it.
  @inline(never) private static func descend(_ depth: Int) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { bytes in
      address.store(UInt(bitPattern: bytes.baseAddress), ordering: .relaxed)
      let below = depth == 0 ? 0 : descend(depth - 1)
      address.store(UInt(bitPattern: bytes.baseAddress), ordering: .relaxed)
      return below + 1
    }
  }

  @Test(arguments: [16 << 10, 64 << 10, 1 << 20]) func aCallerChoosesTheSizeOfTheStack(byteCount: Int)
    async throws
  {
    // A frame takes 1 KiB and, in a debug build, half as much again; the dynamic linker takes 3 KiB at the deepest.
    let depth = byteCount / 1024 / 4
    let reached = try await Coroutine.start(stackByteCount: byteCount) { Self.descend(depth) }.value
    #expect(reached == depth + 1)
  }

  @Test func anOverflowEndsTheProcessAndNamesTheCoroutineAndItsStackSize() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Coroutine.start(name: "deep diver", stackByteCount: 32 << 10) { _ = StackTests.descend(1_000) }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("the stack of coroutine deep diver overflowed its 32768 bytes"))
  }

  /// Stacks come back after each wave: without reuse this would map 400 000.
  @Test func stacksAreReusedAcrossThreads() async throws {
    for _ in 0..<20 {
      let promise = CoPromise<Int>()
      let coroutines = (0..<1_000).map { _ in Coroutine.start { try promise.future.await() } }
      DispatchQueue.global().async { promise.complete(.success(1)) }
      var sum = 0
      for coroutine in coroutines { sum += try await coroutine.value }
      #expect(sum == 1_000)
    }
  }

  @Test func coroutinesThatYieldTakeTurns() async throws {
    let log = Mutex<[Int]>([])
    try await Coroutine.start {
      try CoScope.run { scope in
        for number in 0..<3 {
          _ = try scope.async {
            for _ in 0..<2 {
              log.withLock { $0.append(number) }
              Coroutine.yield()
            }
          }
        }
      }
    }.value
    #expect(log.withLock { $0 } == [0, 1, 2, 0, 1, 2])
  }
}
