import CProbes
import Foundation
import RawThreads
import Synchronization
import TestSupport
import Testing

@testable import Harness

#if os(Linux)
  @Suite(.ownThread(minutes: 10), .serialized) struct CountersTests {
    private static let threads = 4

    // These trials fork in a new process: in this one, another test may hold a lock of the runtime, which a fork never releases.

    @Test func `work on several threads is counted exactly, excluded threads are not`() async {
      await #expect(processExitsWith: .success) { CountersTests.countOnThreads() }
    }

    private static func countOnThreads() {
      guard Counters.countObjects else { return }  // A sanitizer owns the allocator.
      let isExact: @convention(c) () -> Bool = {
        Counters.setThreadCounted(false)
        counters_reset()
        counters_set_counting(true)
        PlantedWork(allocations: 5_000, retains: 5_000, objects: 5_000).perform()
        var handles = [pthread_t?](repeating: nil, count: CountersTests.threads)
        for index in handles.indices {
          var handle = pthread_t()
          pthread_create(&handle, nil, { _ in CountersTests.work() }, nil)
          handles[index] = handle
        }
        for handle in handles { pthread_join(handle!, nil) }
        counters_set_counting(false)
        let (seen, work, times) = (Counters.counts, KnownWork.exact, CountersTests.threads * 1_000)
        return seen.allocations == (work.allocations + work.objects) * times
          && seen.allocatedBytes == 16 * seen.allocations! && seen.objects == work.objects * times
          && seen.retains == work.retains * times && seen.releases == (work.retains + work.objects) * times
      }
      KnownWork.rehearse()
      #expect(counters_prove_objects(isExact))
    }

    private static func work() -> UnsafeMutableRawPointer? {
      KnownWork.exact.perform(times: 1_000)
      return nil
    }

    /// Retaining a literal would write into the word before its text.
    @Test func `counting never changes a literal, even while images come and go`() async {
      await #expect(processExitsWith: .success) { CountersTests.copyLiteralsWhileImagesChange() }
    }

    private static func copyLiteralsWhileImagesChange() {
      guard Counters.countObjects else { return }
      let areUntouched: @convention(c) () -> Bool = {
        let before = CountersTests.wordBeforeLiteral
        CountersTests.isOver.store(false, ordering: .relaxed)
        var handles = [pthread_t?](repeating: nil, count: 2 * CountersTests.threads)
        for index in handles.indices {
          var handle = pthread_t()
          pthread_create(&handle, nil, { _ in CountersTests.copyLiterals() }, nil)
          handles[index] = handle
        }
        for _ in 0..<2_000 {
          let library = dlopen("libBrokenLocale.so.1", RTLD_NOW)
          counters_set_counting(true)
          counters_set_counting(false)
          if let library { dlclose(library) }
        }
        CountersTests.isOver.store(true, ordering: .relaxed)
        for handle in handles { pthread_join(handle!, nil) }
        return CountersTests.wordBeforeLiteral == before
      }
      _ = wordBeforeLiteral
      #expect(counters_prove_objects(areUntouched))
    }

    /// With its marking bits masked, a string of 9 to 15 letters reads like an address. Retaining that crashes.
    @Test func `a short string is not taken for an object`() async {
      await #expect(processExitsWith: .success) {
        guard Counters.countObjects else { return }
        let isCopied: @convention(c) () -> Bool = {
          counters_set_counting(true)
          let copies = Array(repeating: CountersTests.short, count: 100)
          counters_set_counting(false)
          return copies.allSatisfy { $0 == CountersTests.short }
        }
        for letters in 0...15 {
          CountersTests.short = String(repeating: "a", count: letters)
          #expect(counters_prove_objects(isCopied), "\(letters) letters")
        }
      }
    }

    /// Invariant: only one test's process and its child processes use it.
    private nonisolated(unsafe) static var short = ""
    private static let isOver = Atomic(false)
    /// From a library that is loaded late, so that an incomplete list of images lacks it.
    private static let literal = NSCocoaErrorDomain

    private static func copyLiterals() -> UnsafeMutableRawPointer? {
      while !isOver.load(ordering: .relaxed) { _ = Array(repeating: literal, count: 100) }
      return nil
    }

    /// A reference to a literal points 32 bytes before its text; an object's count is its second word.
    private static var wordBeforeLiteral: UInt64 {
      var text = literal
      return text.withUTF8 { utf8 in
        let reference = (UInt(bitPattern: utf8.baseAddress!) - 32) & ~7
        // Invariant: read only; constant data of this image precedes the text.
        return UnsafePointer<UInt64>(bitPattern: reference + 8)!.pointee
      }
    }

    @Test func `the runtime's hooks are set only while counting`() async {
      await #expect(processExitsWith: .success) {
        _ = Counters.countObjects
        #expect(counters_runtime_is_untouched())
        let wasUntouched = Counters.count(settle: {}) { counters_runtime_is_untouched() }.0
        #expect(wasUntouched == !Counters.countObjects)
        Counters.stayOff()
        #expect(counters_runtime_is_untouched())
      }
    }

    @Test func `a trial that crashes disables counting and nothing else`() {
      guard Counters.countObjects else { return }
      #expect(!counters_prove_objects { raise(SIGSEGV) == 0 })
      #expect(!counters_prove_objects { false })
      #expect(Counters.counts.retains == nil && Counters.counts.objects == nil)
      #expect(counters_prove_objects { true })
    }
  }
#endif
