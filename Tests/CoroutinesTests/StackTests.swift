import CContextSwitch
import CSparseFrame
import Coroutines
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct StackTests {
  private static let address = Atomic<UInt>(0)

  /// Recurses with frames of 1 KiB. Each lets its address out, so that the optimizer keeps it.
  @inline(never) private static func descend(_ depth: Int, _ body: () -> Void = {}) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { bytes in
      address.store(UInt(bitPattern: bytes.baseAddress), ordering: .relaxed)
      if depth == 0 { body() }
      let below = depth == 0 ? 0 : descend(depth - 1, body)
      address.store(UInt(bitPattern: bytes.baseAddress), ordering: .relaxed)
      return below + 1
    }
  }

  @Test(arguments: [16 << 10, 64 << 10, 1 << 20])
  func `a caller chooses the size of the stack`(byteCount: Int) async throws {
    // A frame takes 1 KiB and, in a debug build, half as much again; the dynamic linker takes 3 KiB at the deepest.
    let depth = byteCount / 1024 / 4
    let reached = try await Coroutine.start(stackByteCount: byteCount) { Self.descend(depth) }.value
    #expect(reached == depth + 1)
  }

  private enum Colour { case red }

  /// The first time, the runtime makes the metadata of mirrors, nested, on the caller's stack.
  @Test func `a coroutine describes a value by reflection below frames of its own`() async throws {
    await #expect(processExitsWith: .success) {
      let reached = try await Coroutine.start {
        StackTests.descend(24) { #expect("\(Colour.red)" == "red") }
      }.value
      #expect(reached == 25)
    }
  }

  @Test func `an overflow ends the process and names the coroutine and its stack size`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Coroutine.start(name: "deep diver", stackByteCount: 32 << 10) { _ = StackTests.descend(1_000) }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    // A sanitized build has larger frames and stacks; Address Sanitizer has a message of its own.
    let byteCount = context_is_sanitized ? 131_072 : 32_768
    #expect(
      message.contains("the stack of coroutine deep diver overflowed its \(byteCount) bytes")
        || message.contains("AddressSanitizer: stack-overflow"))
  }

  /// The memory below belongs to another coroutine.
  @Test(arguments: [16, 52, 64, 68])
  func `large frames do not leap over the guard`(stackKibibytes: Int) async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [stackKibibytes] in
      let never = CoPromise<Int>()
      // So that there are stacks on both sides.
      for _ in 0..<100 {
        Coroutine.start(stackByteCount: stackKibibytes << 10) { try never.await() }
      }
      Coroutine.start(name: "leaper", stackByteCount: stackKibibytes << 10) { _ = sparse_frames(1_000) }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(
      message.contains("the stack of coroutine leaper overflowed")
        || message.contains("AddressSanitizer: stack-overflow"))
  }

  @Test func `a stack that the system cannot give is an error not a crash`() async {
    let ran = Counter()
    await #expect(throws: CoroutineError.outOfStacks) {
      try await Coroutine.start(stackByteCount: .max) { ran.add() }.value
    }
    #expect(ran.current == 0)
  }

  #if os(Linux)
    /// On a kernel without lightweight guards each stack takes mappings, of which there are 65 530.
    @Test(.disabled("a sanitizer runs out of memory first") { context_is_sanitized })
    func `the kernel's limit on mappings is an error not a crash`() async throws {
      try await #require(processExitsWith: .exitCode(7)) {
        context_refuse_lightweight_guards()
        let promise = CoPromise<Int>()
        var waiting: [CoFuture<Int>] = []
        // With a raised limit, this many are enough.
        waiting.reserveCapacity(100_000)
        while waiting.count < 100_000 {
          let coroutine = Coroutine.start(stackByteCount: 16 << 10) { try promise.await() }
          if coroutine.isResolved { break }
          waiting.append(coroutine)
        }
        promise.success(1)
        for coroutine in waiting { guard try await coroutine.value == 1 else { exit(1) } }
        // The stacks can be reused.
        let another = try await Coroutine.start(stackByteCount: 16 << 10) { 2 }.value
        exit(waiting.count > 10_000 && another == 2 ? 7 : 1)
      }
    }

    @Test(.enabled("needs Linux 6.13") { lightweightGuardsExist })
    func `stacks cost no mapping of their own`() async throws {
      let promise = CoPromise<Int>()
      let before = try Self.mappingCount
      let waiting = (0..<2_000).map { _ in Coroutine.start(stackByteCount: 20 << 10) { try promise.await() } }
      // Slabs of 64, some of which the kernel merges; other tests map memory, too.
      #expect(try Self.mappingCount - before < 1_000)
      promise.success(1)
      for coroutine in waiting { #expect(try await coroutine.value == 1) }
    }

    private static var mappingCount: Int {
      get throws {
        try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n").count
      }
    }

    private static var lightweightGuardsExist: Bool {
      let page = context_page_size()
      guard let memory = mmap(nil, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0) else {
        return false
      }
      defer { munmap(memory, page) }
      return madvise(memory, page, 102) == 0
    }
  #endif

  @Test func `coroutines that yield take turns`() async throws {
    let log = Log<Int>()
    try await Coroutine.start {
      try CoGroup.run { group in
        for number in 0..<3 {
          _ = try group.async {
            for _ in 0..<2 {
              log.append(number)
              Coroutine.yield()
            }
          }
        }
      }
    }.value
    #expect(log.entries == [0, 1, 2, 0, 1, 2])
  }
}
