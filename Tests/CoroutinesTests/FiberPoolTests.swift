import CContextSwitch
import Foundation
import TestSupport
import Testing

@testable import Coroutines

@Suite(.ownThread, .disabled("a sanitizer touches pages of its own") { context_is_sanitized })
struct FiberPoolTests {
  private static let page = context_page_size()

  @Test(arguments: [0, 1, 2, 5, 16]) func `a stack counts its touched pages`(count: Int) throws {
    let stack = try #require(Stack.mapSlab(count: 2, byteCount: 16 * Self.page)?.last)
    for index in 0..<count {
      stack.bottom.storeBytes(of: 1, toByteOffset: index * Self.page, as: UInt8.self)
    }
    #expect(stack.residentPageCount == count)
    stack.release()
    #expect(stack.residentPageCount == 0)
  }

  /// More stacks than could be kept at four touched pages each. In a process of its own, to count its page faults.
  @Test func `many little-used stacks keep their memory for the next coroutines`() async throws {
    try await #require(processExitsWith: .exitCode(7)) {
      let count = 80_000
      let first = FiberPoolTests.faults { FiberPoolTests.suspendAtOnce(count) }
      let second = FiberPoolTests.faults { FiberPoolTests.suspendAtOnce(count) }
      exit(first > count && second < count / 20 ? 7 : 1)
    }
  }

  private static func suspendAtOnce(_ count: Int) {
    let promise = CoPromise<Int>()
    for _ in 0..<count { Coroutine.start { _ = try promise.await() } }
    promise.success(1)
  }

  private static func faults(_ body: () -> Void) -> Int {
    func now() -> Int {
      var usage = rusage()
      #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
      #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      #endif
      return Int(usage.ru_minflt)
    }
    let before = now()
    body()
    return now() - before
  }
}
