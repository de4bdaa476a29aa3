import Foundation
import TestSupport
import Testing

@testable import Harness

#if canImport(Glibc)
  @Suite(.ownThread) struct PlacementTests {
    /// What a process that is placed so says of itself: the processors it may use, and the 41st field of its statistics,
    /// which is its policy: 0 the usual one, 1 first in first out, 3 batch.
    private static func child(of placement: Placement) throws -> [String] {
      let process = try LineProcess(
        executable: URL(fileURLWithPath: "/bin/sh"),
        arguments: [
          "-c", "cut -d' ' -f41 /proc/self/stat; grep Cpus_allowed_list /proc/self/status | cut -f2",
        ],
        placement: placement, isInterrupted: { false })
      defer { process.stop() }
      return try (0..<2).map { _ in String(decoding: try process.readLine(seconds: 10), as: UTF8.self) }
    }

    @Test func `both sides of a pair share one processor in the batch class`() throws {
      let processor = try #require(Placement.lastProcessor)
      let placement = Placement.oneProcessor(processor)
      try #require(placement.isPermitted)
      #expect(try Self.child(of: placement) == ["3", "\(processor)"])
    }

    @Test func `without a placement a process runs as usual`() throws {
      #expect(try Self.child(of: .anywhere).first == "0")
    }

    @Test func `a missing processor is not permitted`() {
      #expect(!Placement.oneProcessor(100_000).isPermitted)
    }

    @Test func `real-time priority is used where permitted`() throws {
      guard Placement.realTime.isPermitted else { return }
      #expect(try Self.child(of: .realTime).first == "1")
    }
  }
#endif
