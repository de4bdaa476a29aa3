import RuntimeSupport
import Synchronization

/// Turns a function that takes a callback into a publisher of one value.
///
/// The work starts on the first demand of each subscriber, on the requesting thread. The value is sent on the thread that calls
/// the resolver. Until then, the handle that the work returned is retained.
///
///     let upload = FromCallback { resolver in
///       service.upload(photo) { resolver($0) }
///     } cancel: { request in
///       request.cancel()
///     }
public struct FromCallback<Output: Sendable, Failure: Error, Handle: Sendable>: Publisher {
  /// Starts the work and returns a handle that can cancel it. The work may call the resolver before it returns.
  public typealias Work = @Sendable (Resolver<Output, Failure>) -> Handle

  @usableFromInline let work: Work
  @usableFromInline let cancelWork: @Sendable (Handle) -> Void

  /// Creates a publisher. If it is cancelled before the resolver is called, it calls `cancel` with the result of `work`.
  @inlinable public init(_ work: @escaping Work, cancel: @escaping @Sendable (Handle) -> Void) {
    self.work = work
    cancelWork = cancel
  }

  /// Creates a publisher of work that cannot be cancelled. After a cancellation, the work's result is ignored.
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

  @usableFromInline struct Running {
    @usableFromInline let handle: Handle
    @usableFromInline let cancel: @Sendable (Handle) -> Void

    @inlinable init(handle: Handle, cancel: @escaping @Sendable (Handle) -> Void) {
      self.handle = handle
      self.cancel = cancel
    }
  }

  @inlinable func start(_ link: Link) {
    if !link.isCancelled {
      let handle = work(Resolver(link))
      // The resolver has already been called, so there is nothing to cancel, and the handle is not needed.
      if link.isAnswered { return }
      link.handle.put(Running(handle: handle, cancel: cancelWork))
      link.holdsHandle = true
    }
    link.arm()
  }

  @inlinable static func finish<S: Subscriber>(_ link: Link, _ ending: Link.Ending, for: S.Type)
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

  @inlinable static func takeHandle(_ link: Link) -> Running? {
    if !link.holdsHandle { return nil }
    link.holdsHandle = false
    return link.handle.take(Running.self)
  }

  @inlinable static func takeDownstream<S: Subscriber>(_ link: Link, _ type: S.Type) -> S? {
    if !link.holdsDownstream { return nil }
    link.holdsDownstream = false
    return link.downstream.take(type)
  }
}

/// The producer's end of a `FromCallback`. Call it like a function, from any thread. Only the first call has an effect.
///
/// If a resolver is released without a call, its stream never ends by itself. Use `timeout` to limit its time.
public struct Resolver<Output: Sendable, Failure: Error>: Sendable {
  // A single reference, so that a closure that captures only a resolver allocates no context.
  @usableFromInline let target: CallbackSubscription<Output, Failure>

  @inlinable init(_ target: CallbackSubscription<Output, Failure>) { self.target = target }

  /// Sets the result, and delivers it on this thread if it has been requested.
  @inlinable public func callAsFunction(_ result: Result<Output, Failure>) { target.resolve(result) }

  /// Sets a value as the result.
  @inlinable public func succeed(_ output: Output) { target.resolve(.success(output)) }

  /// Sets a failure as the result.
  @inlinable public func fail(_ error: Failure) { target.resolve(.failure(error)) }
}

/// The subscription of a `FromCallback`, to which its resolver passes the result.
///
/// It stores the subscriber and the work's handle as raw memory, with a closure that is specialised for their types. Otherwise calls
/// through `any Subscription` would run generic code, which is ten times slower. The object is small, because another thread
/// often frees it, and glibc takes a lock to free more than 120 bytes.
///
/// `@unchecked Sendable`: atomic bits say which thread owns a variable.
/// - `downstream` is stored before the work is called or `waiting` is set. It belongs to the call that sets `claimed`, or else
///   to the thread that carries out the cancellation.
/// - `handle` first stores the closure that starts the work. Once `waiting` is set, this closure belongs to the first call that
///   sets `requested` or `cancelled`. Then `handle` stores the work's handle, before `armed` is set. The work's handle belongs
///   to the call that sets the later one of `armed` and (`claimed` or `cancelled`).
/// - `afterwards` is written by the one call that sets `cancelled`, before it sets `handedOver`.
@usableFromInline
final class CallbackSubscription<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  /// The reason why the subscriber and the work's handle are released.
  @usableFromInline enum Ending {
    /// The resolver was called: its result is sent.
    case answer(Result<Output, Failure>, hasHandle: Bool)
    /// The stream is cancelled after its work has started: the work is cancelled.
    case cancellation
    /// Neither is needed: the result was sent before, or none will be sent.
    case loss
  }

  @usableFromInline typealias Finish = (CallbackSubscription, Ending) -> Void
  @usableFromInline typealias Start = @Sendable (CallbackSubscription) -> Void

  @usableFromInline static var requested: UInt16 { 1 }
  /// Set when the work waits for demand. `handle` then stores the closure that starts the work.
  @usableFromInline static var waiting: UInt16 { 2 }
  /// Set when the function that starts the work has returned, or will not be called.
  @usableFromInline static var armed: UInt16 { 4 }
  /// Set by the first call of the resolver, unless the stream was cancelled before that call.
  @usableFromInline static var claimed: UInt16 { 8 }
  @usableFromInline static var delivered: UInt16 { 16 }
  @usableFromInline static var cancelled: UInt16 { 32 }
  /// Set when the action of `cancel(then:)` waits until the work has been started or its result has been delivered.
  @usableFromInline static var handedOver: UInt16 { 64 }

  @usableFromInline let bits = Atomic<UInt16>(0)
  @usableFromInline @exclusivity(unchecked) var holdsDownstream = false
  @usableFromInline @exclusivity(unchecked) var holdsHandle = false
  @usableFromInline let finish: Finish
  @usableFromInline @exclusivity(unchecked) var downstream = InlineStorage((0, 0, 0, 0))
  @usableFromInline @exclusivity(unchecked) var handle = InlineStorage((0, 0, 0, 0))
  @usableFromInline @exclusivity(unchecked) var afterwards: (@Sendable () -> Void)?

  @inlinable init(finish: @escaping Finish) { self.finish = finish }

  deinit {
    if bits.load(ordering: .relaxed) & (Self.waiting | Self.requested | Self.cancelled) == Self.waiting {
      abandon()
    }
    if holdsDownstream || holdsHandle { lose() }
  }

  /// Releases the subscriber and the work's handle. As a part of `deinit`, it would always look up type metadata.
  @inline(never) private func lose() { finish(self, .loss) }

  /// Stores the closure that starts the work, which the first demand then calls.
  @usableFromInline func wait(_ start: @escaping Start) {
    handle.put(start)
    let old = set(Self.waiting)
    if old & Self.requested != 0 {
      handle.take(Start.self)(self)
    } else if old & Self.cancelled != 0 {
      abandon()
      arm()
    }
  }

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let old = set(Self.requested)
    if old & (Self.waiting | Self.requested | Self.cancelled) == Self.waiting {
      handle.take(Start.self)(self)
    }
  }

  /// Releases the subscriber, and the closure that would have started the work.
  func abandon() {
    _ = handle.take(Start.self)
    finish(self, .loss)
  }

  @inlinable var isCancelled: Bool { bits.load(ordering: .relaxed) & Self.cancelled != 0 }
  @inlinable var isAnswered: Bool { bits.load(ordering: .acquiring) & Self.claimed != 0 }
  @inlinable var isEager: Bool { bits.load(ordering: .acquiring) & (Self.requested | Self.cancelled) != 0 }

  /// Records that the function that starts the work has returned or will not be called. Cancellation is then immediate.
  @inlinable func arm() {
    let old = set(Self.armed)
    if old & Self.claimed != 0 {
      finish(self, .loss)
    } else if old & Self.cancelled != 0 {
      finish(self, .cancellation)
      if old & Self.handedOver != 0 { afterwards.take()?() }
    }
  }

  @inlinable func resolve(_ answer: Result<Output, Failure>) {
    var old = bits.load(ordering: .relaxed)
    while true {
      if old & (Self.claimed | Self.cancelled) != 0 { return }
      let result = bits.weakCompareExchange(
        expected: old, desired: old | Self.claimed, ordering: .acquiringAndReleasing)
      if result.exchanged { break }
      old = result.original
    }
    finish(self, .answer(answer, hasHandle: old & Self.armed != 0))
    if set(Self.delivered) & Self.handedOver != 0 { afterwards.take()?() }
  }

  @usableFromInline func cancel() { _ = end() }

  @usableFromInline func cancel(then action: @escaping @Sendable () -> Void) {
    guard let due = end() else { return action() }
    afterwards = action
    if set(Self.handedOver) & due != 0 { afterwards.take()?() }
  }

  /// Cancels the stream. If the work is being started or its result is being delivered, returns the bit that is set afterwards.
  @usableFromInline func end() -> UInt16? {
    let old = set(Self.cancelled)
    if old & Self.cancelled != 0 { return nil }
    if old & Self.claimed != 0 { return old & Self.delivered == 0 ? Self.delivered : nil }
    if old & (Self.waiting | Self.requested) == Self.waiting {
      abandon()
    } else if old & Self.armed == 0 {
      return Self.armed
    } else {
      finish(self, .cancellation)
    }
    return nil
  }

  @inlinable
  func set(_ bit: UInt16) -> UInt16 { bits.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue }
}
