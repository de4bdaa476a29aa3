/// What a `Pipeline` knows, and what it is to do next.
struct PipelineState<Input: Sendable, Output: Sendable>: ~Copyable {
  typealias Pipe = Pipeline<Input, Output>

  enum Step {
    case read(Pipe.Read)
    case start(Int, Input, Pipe.Start)
    case cancel([@Sendable () -> Void])
    case end(Result<[Output], any Error>, Pipe.Completion<[Output]>, (@Sendable () -> Void)?)
  }

  /// What is let go of at the end.
  private struct Job {
    let read: Pipe.Read
    let start: Pipe.Start
    let completion: Pipe.Completion<[Output]>
  }

  private let capacity: Int
  private let limit: Int
  private var job: Job?
  private var isAdvancing = false
  private var isReading = false
  private var hasReadAll = false
  /// What was read and waits.
  private var buffered = RingBuffer<Input>()
  private var results: [Output?] = []
  /// What is being worked on, and how to cancel it; nil while it is being started.
  private var running: [Int: (@Sendable () -> Void)?] = [:]
  private var failure: (any Error)?
  private var afterCancel: (@Sendable () -> Void)?

  init(
    capacity: Int, limit: Int, read: @escaping Pipe.Read, start: @escaping Pipe.Start,
    completion: @escaping Pipe.Completion<[Output]>
  ) {
    self.capacity = capacity
    self.limit = limit
    job = Job(read: read, start: start, completion: completion)
  }

  /// Whether nobody else is at it.
  mutating func beginAdvancing() -> Bool {
    if isAdvancing { return false }
    isAdvancing = true
    return true
  }

  /// Returns nil when there is nothing to do until something happens; whoever makes it happen advances then.
  mutating func nextStep() -> Step? {
    if let job, let step = failure == nil ? nextWork(job) : nextEnding(job) { return step }
    isAdvancing = false
    return nil
  }

  private mutating func nextWork(_ job: Job) -> Step? {
    if running.count < limit, !buffered.isEmpty {
      running[results.count] = .some(nil)
      results.append(nil)
      return .start(results.count - 1, buffered.removeFirst(), job.start)
    }
    if !isReading, !hasReadAll, buffered.count < capacity {
      isReading = true
      return .read(job.read)
    }
    guard hasReadAll, running.isEmpty else { return nil }
    return end(job, .success(results.compactMap { $0 }))
  }

  private mutating func nextEnding(_ job: Job) -> Step? {
    buffered = RingBuffer()
    if !running.isEmpty {
      defer { running = [:] }
      return .cancel(running.values.compactMap { $0 })
    }
    return isReading ? nil : end(job, .failure(failure ?? CancellationError()))
  }

  private mutating func end(_ job: Job, _ result: Result<[Output], any Error>) -> Step {
    self.job = nil
    results = []
    return .end(result, job.completion, afterCancel.take())
  }

  /// Takes what was read. Returns whether there is room for another.
  mutating func accept(_ result: Result<Input?, any Error>) -> Bool {
    switch result {
    case .success(let input?) where failure == nil:
      buffered.append(input)
      isReading = buffered.count < capacity
    case .success(let input):
      hasReadAll = input == nil
      isReading = false
    case .failure(let error):
      failure = failure ?? error
      isReading = false
    }
    return isReading
  }

  /// Takes the first result of an input. Returns false if it is of no interest.
  mutating func finish(_ index: Int, _ result: Result<Output, any Error>) -> Bool {
    guard running.removeValue(forKey: index) != nil else { return false }
    switch result {
    case .success(let output): results[index] = output
    case .failure(let error): failure = failure ?? error
    }
    return true
  }

  mutating func keep(_ cancel: @escaping @Sendable () -> Void, for index: Int) {
    if running[index] != nil { running[index] = cancel }
  }

  /// Returns whether it had ended before.
  mutating func cancel(then action: @escaping @Sendable () -> Void) -> Bool {
    if job == nil { return true }
    failure = failure ?? CancellationError()
    afterCancel = action
    return false
  }
}
