import Coroutines
import Dispatch
import TestSupport
import Testing

/// Swift tracks open accesses per thread: a coroutine carries its own from thread to thread, and leaves the thread's alone.
@Suite(.ownThread) struct ExclusivityTests {
  final class Box: @unchecked Sendable {
    // Invariant: touched by one coroutine at a time.
    var value = 0

    var modified: Int {
      get { value }
      _modify { yield &value }
    }
  }

  /// Goes on on another thread.
  private static func hop() throws {
    try Coroutine.withContinuation(of: Void.self) { continuation in
      DispatchQueue.global().async { continuation.resume() }
    }
  }

  private static func add(_ number: inout Int) throws {
    try hop()
    number += 1
    try hop()
  }

  @Test func `many coroutines suspend inside inout accesses and modify accessors`() async throws {
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await Coroutine.start {
            let (box, other) = (Box(), Box())
            for _ in 0..<5 {
              try Self.add(&box.value)
              try Self.add(&other.modified)
            }
            return [box.value, other.value]
          }.value
        }
      }
      for try await values in group { #expect(values == [5, 5]) }
    }
  }

  /// The starter's own access is open while the coroutine runs, suspends and goes on elsewhere.
  @Test func `a coroutine leaves the accesses of its starter alone`() async throws {
    let starter = Box()
    func start(_ number: inout Int) -> CoFuture<Int> {
      number += 1
      let future = Coroutine.start {
        let box = Box()
        try Self.add(&box.value)
        return box.value
      }
      number += 1
      return future
    }
    for _ in 0..<100 { #expect(try await start(&starter.value).value == 1) }
    #expect(starter.value == 200)
  }

  @Test func `a thread may access a value that a suspended coroutine has open`() async throws {
    let box = Box()
    let promise = CoPromise<Int>()
    let coroutine = Coroutine.start {
      func wait(_ number: inout Int) throws { number += try promise.await() }
      try wait(&box.value)
      return box.value
    }
    box.value += 10
    promise.success(1)
    // The coroutine read its inout before it waited.
    #expect([1, 11].contains(try await coroutine.value))
  }

  @Test func `checking stays on inside a coroutine`() async {
    await #expect(processExitsWith: .failure) {
      // Behind a lock, so that the optimizer keeps the checks.
      let known = Guarded<Box>(Box())
      _ = try? await Coroutine.start {
        let box = known.withLock { $0 }
        func overlap(_ number: inout Int) throws {
          try ExclusivityTests.hop()
          box.value += 1
          number += 1
        }
        try overlap(&box.value)
      }.value
    }
  }
}
