import Dispatch
import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import OperationUploads

@Suite(.ownThread) struct OperationJobTests {
  private final class Handle: Cancellable { func cancel() {} }

  private struct NoService: UploadService {
    func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
      fatalError("nothing may be asked")
    }
    func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
      fatalError("nothing may be asked")
    }
    func uploadBlocking(_ media: Media) throws -> Receipt { fatalError("nothing may be asked") }
    func prepare(_ media: Media) throws -> PreparedMedia { fatalError("nothing may be asked") }
    func chunks(of media: Media) throws -> ChunkReader { fatalError("nothing may be asked") }
  }

  /// swift-corelibs-foundation refers to those that depend on an operation without keeping them, and tells them when it has
  /// finished. One that had ended before could be freed by then.
  @Test func anOperationWaitsForThoseItDependsOnAfterAFailureToo() {
    let (service, ended, wasReady) = (NoService(), DispatchSemaphore(value: 0), Guarded<[Bool]>([]))
    let job = OperationJob(on: service, OperationQueue()) { _ in ended.signal() }
    let second = RequestOperation<Int>(of: job) { _ in fatalError("nothing may be asked") }
    let first = RequestOperation<Int>(of: job) { _ in
      job.fail(Failure())
      wasReady.withLock { $0.append(second.isReady) }
      return Handle()
    }
    second.addDependency(first)
    _ = job.run([first, second]) { _ in fatalError("nothing may be asked") }
    ended.wait()
    #expect(wasReady.withLock { $0 } == [false])
  }
}
