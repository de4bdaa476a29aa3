import Exploration
import Foundation
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import SwiftConcurrencyUploads
@testable import UploadExploration

/// Faults that others have suggested, written with async/await.
@Suite(.ownThread) struct WrongContenderTests {
  enum Fault: String, CaseIterable, Sendable {
    case exceedsALimitOf4, beginsWithTheLast, forgetsTheDeadlineAfterTheUploads, timesAttemptsFromTheStart,
      leavesTheHedgesTimer
    /// No schedule of so few uploads and attempts shows these.
    case cancelsTheFirst64, keepsReceipts, retriesTheThirdRefusal, backsOffOnce, overfillsFromTheNinthChunk,
      holdsALockAtItsEnd
  }

  private struct Wrong: PartialContender {
    static let kept = Mutex<[[Receipt]]>([])
    let name = "wrong"
    let summary = "async/await with a fault"
    let patterns: [Pattern]
    let fault: Fault
    let clock: VirtualClock

    func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
      -> any Cancellable
    {
      let lock = NSLock()
      let handle = start({ result in
        guard fault == .holdsALockAtItsEnd else { return completion(result) }
        lock.withLock { completion(result) }
      }) {
        let most = fault == .exceedsALimitOf4 && limit ?? 0 >= 4 ? limit! + 1 : limit ?? .max
        let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
          var receipts = [Receipt?](repeating: nil, count: post.media.count)
          for media in post.media {
            if media.index >= most, let receipt = try await group.next() {
              receipts[receipt.mediaIndex] = receipt
            }
            group.addTask {
              guard fault == .cancelsTheFirst64, media.index >= 64 else {
                return try await service.perform(.upload(media))
              }
              return try await withCheckedThrowingContinuation { continuation in
                _ = service.upload(media) { continuation.resume(with: $0) }
              }
            }
          }
          for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
          return receipts.compactMap { $0 }
        }
        if fault == .keepsReceipts { Self.kept.withLock { $0.append(receipts) } }
        return try await service.createPost(post, receipts: receipts)
      }
      return fault == .holdsALockAtItsEnd ? Locked(lock: lock, handle: handle) : handle
    }

    private final class Locked: Cancellable {
      init(lock: NSLock, handle: any Cancellable) { (self.lock, self.handle) = (lock, handle) }
      let lock: NSLock
      let handle: any Cancellable
      func cancel() { lock.withLock { handle.cancel() } }
    }

    func sequence(_ post: Post, to service: some UploadService, completion: @escaping Completion)
      -> any Cancellable
    {
      start(completion) {
        var receipts: [Receipt] = []
        for media in post.media.reversed() {
          receipts.insert(try await service.perform(.upload(media)), at: 0)
        }
        return try await service.createPost(post, receipts: receipts)
      }
    }

    func race(
      _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
    ) -> any Cancellable {
      start(completion) {
        let receipts = try await all(post.media) { media in
          try await withThrowingTaskGroup(of: Result<Receipt, any Error>.self) { group in
            group.addTask { await result { try await service.perform(.uploadToMirror(media, .primary)) } }
            group.addTask {
              if fault == .leavesTheHedgesTimer {
                let (fired, input) = AsyncStream<Void>.makeStream()
                Task {
                  try? await clock.sleep(for: hedgeDelay)
                  input.yield()
                }
                for await _ in fired { break }
                try Task.checkCancellation()
              } else {
                try await clock.sleep(for: hedgeDelay)
              }
              return await result { try await service.perform(.uploadToMirror(media, .secondary)) }
            }
            defer { group.cancelAll() }
            var failures: [any Error] = []
            for try await answer in group {
              switch answer {
              case .success(let receipt): return receipt
              case .failure(let error): failures.append(error)
              }
            }
            try Task.checkCancellation()
            throw RaceFailure(mediaIndex: media.index, primary: failures[0], secondary: failures[1])
          }
        }
        return try await service.createPost(post, receipts: receipts)
      }
    }

    func resilient(
      _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
    ) -> any Cancellable {
      start(completion) {
        let begin = clock.now
        let uploads: @Sendable () async throws -> [Receipt] = {
          try await all(post.media) { media in
            var attempt = 1
            while true {
              let passed: Duration =
                fault == .timesAttemptsFromTheStart ? begin.duration(to: clock.now) : .zero
              do {
                return try await within(
                  policy.attemptDeadline! - passed, AttemptTimedOut(mediaIndex: media.index)
                ) {
                  try await service.perform(.upload(media))
                }
              } catch
                where attempt < policy.attempts
                && (RetryPolicy.isTransient(error) || fault == .retriesTheThirdRefusal && attempt > 2)
              {
                let counted = fault == .backsOffOnce ? 1 : attempt
                try await clock.sleep(for: policy.backoff(afterAttempt: counted, of: media))
                attempt += 1
              }
            }
          }
        }
        if fault == .forgetsTheDeadlineAfterTheUploads {
          let receipts = try await within(policy.deadline!, DeadlineExceeded(), uploads)
          return try await service.createPost(post, receipts: receipts)
        }
        return try await within(policy.deadline!, DeadlineExceeded()) {
          try await service.createPost(post, receipts: try await uploads())
        }
      }
    }

    func stream(
      _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
      completion: @escaping Completion
    ) -> any Cancellable {
      start(completion) {
        let reader = try service.chunks(of: media)
        var (receipts, count): ([Receipt], Int) = ([], 0)
        while let chunk = try reader.next() {
          count += 1
          let ahead = count >= 9 ? try (0..<buffer + uploaders).compactMap { _ in try reader.next() } : []
          for chunk in [chunk] + ahead { receipts.append(try await service.perform(.uploadChunk(chunk))) }
        }
        return try await service.createPost(post, receipts: receipts)
      }
    }

    private func result<Value>(of body: () async throws -> Value) async -> Result<Value, any Error> {
      do { return .success(try await body()) } catch { return .failure(error) }
    }

    private func all(_ media: [Media], _ upload: @escaping @Sendable (Media) async throws -> Receipt)
      async throws
      -> [Receipt]
    {
      try await withThrowingTaskGroup(of: Receipt.self) { group in
        for media in media { group.addTask { try await upload(media) } }
        var receipts = [Receipt?](repeating: nil, count: media.count)
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
    }

    private func within<Value: Sendable>(
      _ limit: Duration, _ timeout: any Error, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
          try await clock.sleep(for: limit)
          throw timeout
        }
        return try await group.next()!
      }
    }
  }

  static let faults: [(fault: Fault, pattern: Pattern, rule: String?)] = [
    (.exceedsALimitOf4, .publish, "limit"), (.beginsWithTheLast, .sequence, "in-order"),
    (.forgetsTheDeadlineAfterTheUploads, .resilient, nil),
    (.timesAttemptsFromTheStart, .resilient, "attempt-deadline"),
    (.leavesTheHedgesTimer, .race, "nothing-left"),
    (.cancelsTheFirst64, .publish, nil), (.keepsReceipts, .publish, nil),
    (.holdsALockAtItsEnd, .publish, nil),
    (.retriesTheThirdRefusal, .resilient, nil), (.backsOffOnce, .resilient, nil),
    (.overfillsFromTheNinthChunk, .stream, nil),
  ]

  @Test func `every fault is tried`() { #expect(Set(Self.faults.map(\.fault)) == Set(Fault.allCases)) }

  @Test(arguments: faults)
  func `a fault that a schedule shows is found`(_ fault: Fault, _ pattern: Pattern, _ rule: String?) throws {
    let subject = Explorer.Subject(name: "wrong", patterns: [pattern]) {
      let steps = TaskSteps(isStructured: false)
      return (Wrong(patterns: [pattern], fault: fault, clock: steps.virtualClock), steps)
    }
    var seen: [String] = []
    for job in Explorer(seed: 1, subjects: [subject]).jobs(nil, [pattern]) {
      for (strategy, most) in [
        (Search.Strategy.exhaustive(reduced: true), 500),
        (.priorities(seed: 1, changes: 2), rule == nil ? 200 : 2_000),
      ] {
        let run = ScheduledRun(job.expectation, subject, Search(strategy))
        while run.search.schedules < most, run.search.begin() {
          guard let breach = run.breach() else { continue }
          print("\(fault) \(job.name): \(breach.rule.rawValue) in schedule \(run.search.schedules)")
          seen.append(breach.rule.rawValue)
          break
        }
      }
    }
    #expect(rule.map(seen.contains) ?? seen.isEmpty, "\(seen)")
  }
}
