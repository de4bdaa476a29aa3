import Synchronization

/// One performance of a group.
///
/// Starting is a turn that one thread holds at a time: whoever asks for one while another thread holds it
/// leaves the request in `requests` and goes on, so there is no lock, no recursion, and no thread that waits.
/// `@unchecked Sendable`: `parts`, `startedCount` and `hasStopped` belong to the holder of the turn; each slot
/// of `values` to its part until `runningCount` reaches zero, then to the thread that brought it there.
@usableFromInline
final class GroupRun<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let whole: TaskController<[Element]>
  @usableFromInline let count: Int
  @usableFromInline let limit: Int
  @usableFromInline let makeTask: @Sendable (Int) throws -> ClosureTask<Element>
  @usableFromInline let values: UnsafeMutablePointer<Element?>

  @exclusivity(unchecked) @usableFromInline var parts: ContiguousArray<TaskController<Element>> = []
  @exclusivity(unchecked) @usableFromInline var startedCount = 0
  @exclusivity(unchecked) @usableFromInline var hasStopped = false
  /// The first failure; written by the winner of `isFailed`, read by the holder of the turn after `isDecided`.
  @exclusivity(unchecked) @usableFromInline var failure: (any Error)?

  @usableFromInline let requests = Atomic<Int>(0)
  @usableFromInline let runningCount: Atomic<Int>
  @usableFromInline let isFailed = Atomic<Bool>(false)
  @usableFromInline let isDecided = Atomic<Bool>(false)

  @inlinable
  init(
    of whole: TaskController<[Element]>, count: Int, limit: Int?,
    makeTask: @escaping @Sendable (Int) throws -> ClosureTask<Element>
  ) {
    self.whole = whole
    self.count = count
    self.limit = min(limit ?? count, count)
    self.makeTask = makeTask
    runningCount = Atomic(count)
    values = .allocate(capacity: count)
    values.initialize(repeating: nil, count: count)
    parts.reserveCapacity(count)
  }

  deinit {
    values.deinitialize(count: count)
    values.deallocate()
  }

  @inlinable
  func start() {
    guard count > 0 else {
      whole.finish(with: [])
      return
    }
    whole.onCancel { self.request(1) }
    request(limit)
  }

  /// Asks for that many starts, or for the clean-up if the group has failed or is cancelled.
  @inlinable
  func request(_ wanted: Int) {
    if requests.add(wanted, ordering: .acquiringAndReleasing).oldValue == 0 { takeTurn(wanted) }
  }

  @inlinable
  func takeTurn(_ wanted: Int) {
    var wanted = wanted
    repeat {
      var left = wanted
      while left > 0, startedCount < count, !isStopping {
        startNext()
        left -= 1
      }
      if isDecided.load(ordering: .acquiring) || whole.isEnded { stop() }
      wanted = requests.subtract(wanted, ordering: .acquiringAndReleasing).newValue
    } while wanted > 0
  }

  @inlinable
  var isStopping: Bool { isFailed.load(ordering: .acquiring) || whole.isEnded }

  @inlinable
  func startNext() {
    let index = startedCount
    startedCount += 1
    do {
      let task = try makeTask(index)
      let part = TaskController<Element>(parent: self, index: index) { parent, index, result in
        unsafeDowncast(parent, to: GroupRun<Element>.self).partEnded(index, result)
      }
      parts.append(part)
      task.run(part)
    } catch {
      fail(error)
    }
  }

  @inlinable
  func partEnded(_ index: Int, _ result: Result<Element, any Error>) {
    switch result {
    case .success(let value):
      (values + index).pointee = value
      if runningCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
        finish()
      } else if limit < count {
        request(1)
      }
    case .failure(let error): fail(error)
    }
  }

  @inlinable
  func finish() {
    whole.finish(with: (0..<count).map { values[$0].unsafelyUnwrapped })
  }

  @inlinable
  func fail(_ error: any Error) {
    guard !whole.isEnded, !isFailed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    failure = error
    isDecided.store(true, ordering: .releasing)
    request(1)
  }

  /// Cancels what is in flight, then reports the failure, if it is one.
  @inlinable
  func stop() {
    guard !hasStopped else { return }
    hasStopped = true
    let parts = self.parts
    self.parts = []
    for part in parts { part.cancel() }
    if let failure { whole.fail(with: failure) }
  }
}
