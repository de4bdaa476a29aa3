/// Turns a call that answers through a callback into a publisher of one value.
///
/// The work starts on the first demand of each subscriber, on the thread that asks; the value is sent on the thread that
/// resolves. What the work returns is kept while it runs.
///
///     let upload = FromCallback { resolver in
///       service.upload(photo) { resolver($0) }
///     } cancel: { request in
///       request.cancel()
///     }
public struct FromCallback<Output: Sendable, Failure: Error, Handle: Sendable>: Publisher {
  /// Starts the work and returns what cancels it; the resolver may be called before it returns.
  public typealias Work = @Sendable (Resolver<Output, Failure>) -> Handle

  @usableFromInline let work: Work
  @usableFromInline let cancelWork: @Sendable (Handle) -> Void

  /// On a cancellation before the answer, `cancel` is called with what `work` returned.
  @inlinable
  public init(_ work: @escaping Work, cancel: @escaping @Sendable (Handle) -> Void) {
    self.work = work
    cancelWork = cancel
  }

  /// Work that can not be cancelled: its late answer is ignored.
  @inlinable
  public init(_ work: @escaping @Sendable (Resolver<Output, Failure>) -> Void) where Handle == Void {
    self.init(work, cancel: { _ in })
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: consuming S) where S.Input == Output, S.Failure == Failure {
    let link = Link { Self.finish($0, $1, for: S.self) }
    let demand = subscriber.receive(starting: link)
    link.downstream.put(subscriber)
    link.holdsDownstream = true
    if demand > .none || link.isEager { start(link) } else { link.wait { start($0) } }
  }

  @usableFromInline typealias Link = CallbackSubscription<Output, Failure>

  /// Work that was started, and how to cancel it.
  @usableFromInline
  struct Running {
    @usableFromInline let handle: Handle
    @usableFromInline let cancel: @Sendable (Handle) -> Void

    @inlinable
    init(handle: Handle, cancel: @escaping @Sendable (Handle) -> Void) {
      self.handle = handle
      self.cancel = cancel
    }
  }

  @inlinable
  func start(_ link: Link) {
    if !link.isCancelled {
      let handle = work(Resolver(link))
      // Answered meanwhile: the handle is not needed, and nobody waits for the call to return.
      if link.isAnswered { return }
      link.handle.put(Running(handle: handle, cancel: cancelWork))
      link.holdsHandle = true
    }
    link.arm()
  }

  @inlinable
  static func finish<S: Subscriber>(_ link: Link, _ ending: Link.Ending, for: S.Type)
  where S.Input == Output, S.Failure == Failure {
    switch ending {
    case .answer(let answer, let hasHandle):
      if hasHandle { _ = takeHandle(link) }
      link.holdsDownstream = false
      var subscriber = link.downstream.take(S.self)
      switch answer {
      case .success(let output): subscriber.receive(last: output)
      case .failure(let error): subscriber.receive(completion: .failure(error))
      }
    case .cancellation:
      _ = takeDownstream(link, S.self)
      if let running = takeHandle(link) { running.cancel(running.handle) }
    case .loss:
      if !link.isAnswered { _ = takeDownstream(link, S.self) }
      _ = takeHandle(link)
    }
  }

  @inlinable
  static func takeHandle(_ link: Link) -> Running? {
    if !link.holdsHandle { return nil }
    link.holdsHandle = false
    return link.handle.take(Running.self)
  }

  @inlinable
  static func takeDownstream<S: Subscriber>(_ link: Link, _ type: S.Type) -> S? {
    if !link.holdsDownstream { return nil }
    link.holdsDownstream = false
    return link.downstream.take(type)
  }
}

/// The producer's end of a result. Call it like a function, from any thread; only the first call counts.
public struct Resolver<Output: Sendable, Failure: Error>: Sendable {
  // One reference, so a closure around a resolver needs no context of its own.
  @usableFromInline let target: CallbackSubscription<Output, Failure>

  @inlinable init(_ target: CallbackSubscription<Output, Failure>) { self.target = target }

  /// Answers, and delivers on this thread if the answer has been asked for.
  @inlinable public func callAsFunction(_ result: Result<Output, Failure>) { target.resolve(result) }

  /// The same with a value.
  @inlinable public func succeed(_ output: Output) { target.resolve(.success(output)) }

  /// The same with a failure.
  @inlinable public func fail(_ error: Failure) { target.resolve(.failure(error)) }
}
