import CContextSwitch
import Coroutines
import Dispatch
import TestSupport
import Testing

/// A coroutine may suspend anywhere in its code, and goes on there, on any thread.
@Suite(.ownThread) struct SuspensionPlacesTests {
  /// Goes on on another thread.
  @Sendable private static func hop() {
    try! Coroutine.withContinuation(of: Void.self) { continuation in
      DispatchQueue.global().async { continuation.resume() }
    }
  }

  @Test func `in a defer`() async throws {
    let log = Log<Int>()
    try await Coroutine.start {
      func inner() throws {
        defer {
          Self.hop()
          log.append(1)
        }
        throw Failure()
      }
      defer {
        Self.hop()
        log.append(2)
      }
      #expect(throws: Failure()) { try inner() }
    }.value
    #expect(log.entries == [1, 2])
  }

  @Test func `in a catch`() async throws {
    let code = try await Coroutine.start {
      do {
        Self.hop()
        throw Failure(code: 3)
      } catch {
        Self.hop()
        do {
          Self.hop()
          throw Failure(code: 4)
        } catch let inner {
          Self.hop()
          // The outer error is still there.
          return (error as! Failure).code * 10 + (inner as! Failure).code
        }
      }
    }.value
    #expect(code == 34)
  }

  @Test func `in a deinitialiser`() async throws {
    final class Last: Sendable {
      let log: Log<Int>
      init(_ log: Log<Int>) { self.log = log }
      deinit {
        SuspensionPlacesTests.hop()
        log.append(1)
      }
    }
    let log = Log<Int>()
    try await Coroutine.start {
      do { withExtendedLifetime(Last(log)) {} }
      log.append(2)
    }.value
    #expect(log.entries == [1, 2])
  }

  /// Stacks do not move: the address of a local stays valid.
  @Test func `other threads may write through a pointer to a local meanwhile`() async throws {
    struct Address: @unchecked Sendable {
      // Invariant: the coroutine waits while the other thread writes.
      let pointer: UnsafeMutablePointer<[Int]>
    }
    let values = try await Coroutine.start {
      var local = [0]
      for round in 1...100 {
        try withUnsafeMutablePointer(to: &local) { pointer in
          let address = Address(pointer: pointer)
          try Coroutine.withContinuation(of: Void.self) { continuation in
            DispatchQueue.global().async {
              address.pointer.pointee.append(round)
              continuation.resume()
            }
          }
        }
      }
      return local
    }.value
    #expect(values == Array(0...100))
  }

  /// Errors unwind through frames that were entered on other threads.
  @Test func `far down its stack`() async throws {
    let unwound = Counter()
    @Sendable func descend(_ depth: Int) throws -> Int {
      defer { unwound.add() }
      Self.hop()
      if depth == 0 { throw Failure(code: 7) }
      return try descend(depth - 1) + 1
    }
    for _ in 0..<3 {
      await #expect(throws: Failure(code: 7)) {
        try await Coroutine.start(stackByteCount: 1 << 20) { try descend(500) }.value
      }
    }
    #expect(unwound.current == 3 * 501)
  }

  /// Each runs on the stack of its own, below the one that starts it.
  @Test func `in coroutines that start each other`() async throws {
    let depth = context_is_sanitized ? 1_000 : 10_000
    @Sendable func descend(_ depth: Int) throws -> Int {
      if depth == 0 {
        Self.hop()
        return 0
      }
      return try Coroutine.start { try descend(depth - 1) }.await() + 1
    }
    #expect(try await Coroutine.start { try descend(depth) }.value == depth)
  }
}
