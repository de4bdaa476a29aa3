import Dispatch
import Synchronization
import UploadScenario

typealias Call<Value> = @Sendable (_ completion: @escaping Callback<Value>) -> any Cancellable

/// The job of one post: a group of the requests in flight, their handles, and a lock for the results.
final class GroupJob: Cancellable {
  private struct State {
    var unstarted: ArraySlice<Media>
    var receipts: [Receipt] = []
    var error: (any Error)?
  }

  let group = DispatchGroup()
  let requests = Requests()
  private let state: Mutex<State>
  init(_ media: [Media] = []) { state = Mutex(State(unstarted: media[...])) }

  /// Takes the media file to upload next. `nil` after the last one, and after an error.
  func nextMedia() -> Media? { state.withLock { $0.error == nil ? $0.unstarted.popFirst() : nil } }
  func keep(_ receipt: Receipt) { state.withLock { $0.receipts.append(receipt) } }
  /// The receipts in the order of the post's media files.
  var receipts: [Receipt] { state.withLock { $0.receipts }.sorted { $0.mediaIndex < $1.mediaIndex } }
  var error: (any Error)? { state.withLock { $0.error } }

  func cancel() { fail(CancellationError()) }
  func fail(_ error: any Error) {
    state.withLock { $0.error = $0.error ?? error }
    requests.cancel()
  }

  func request<Value>(_ call: Call<Value>, then next: @escaping @Sendable (Value) -> Void) {
    if error != nil { return }
    group.enter()
    let handle = call { [self] result in
      do { next(try result.get()) } catch { fail(error) }
      group.leave()
    }
    requests.add(handle)
  }

  func work(on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Void) {
    queue.async(group: group) { [self] in
      do { if error == nil { try body() } } catch { fail(error) }
    }
  }

  func notify(_ completion: @escaping Completion, create: @escaping Call<Publication>) -> Self {
    group.notify(queue: .global()) { [self] in
      if let error { return completion(.failure(error)) }
      let handle = create { [self] result in
        state.withLock { $0.receipts = [] }
        requests.cancel()
        completion(result.mapError { error ?? $0 })
      }
      requests.add(handle)
    }
    return self
  }
}

/// A set of requests and timers that are cancelled together.
final class Requests: Cancellable {
  private let group: DispatchGroup?
  /// The handles of the requests and timers. `nil` after the set was cancelled or has ended.
  private let handles = Mutex<[any Cancellable]?>([])

  /// - Parameter job: the job that cancels the requests. The job's dispatch group is not empty until the requests end.
  init(of job: GroupJob? = nil) {
    group = job?.group
    group?.enter()
    job?.requests.add(self)
  }

  /// Adds a handle. If the set has ended, cancels the handle immediately.
  func add(_ handle: any Cancellable) {
    if handles.withLock({ $0?.append(handle) }) == nil { handle.cancel() }
  }

  /// Cancels all requests and timers, then calls `next`. Only the first call has an effect.
  func end(then next: () -> Void) {
    guard let handles = handles.withLock({ $0.take() }) else { return }
    for handle in handles { handle.cancel() }
    next()
    group?.leave()
  }

  func cancel() { end {} }
  var areOver: Bool { handles.withLock { $0 == nil } }
}
