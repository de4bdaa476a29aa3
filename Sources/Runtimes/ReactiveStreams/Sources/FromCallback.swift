import RuntimeSupport
import Synchronization

/// Turns a call that answers through a callback into a publisher of one value.
///
/// The work starts on the first demand of each subscriber, on the requesting thread; the value is sent on the thread that
/// resolves. The work's result is kept while it runs.
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

  /// A cancellation before the answer calls `cancel` with the result of `work`.
  @inlinable public init(_ work: @escaping Work, cancel: @escaping @Sendable (Handle) -> Void) {
    self.work = work
    cancelWork = cancel
  }

  /// Work that cannot be cancelled: its late answer is ignored.
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

  /// Started work, and how to cancel it.
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
      // Answered meanwhile: the handle is not needed, and no cancellation waits for the call to return.
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

/// The producer's end of a result. Call it like a function, from any thread; only the first call counts.
///
/// If it is released without a call, the stream stays silent until it is cancelled: bound it with `timeout`.
public struct Resolver<Output: Sendable, Failure: Error>: Sendable {
  // One reference, so a closure around a resolver needs no context of its own.
  @usableFromInline let target: CallbackSubscription<Output, Failure>

  @inlinable init(_ target: CallbackSubscription<Output, Failure>) { self.target = target }

  /// Answers, and delivers on this thread if the answer has been requested.
  @inlinable public func callAsFunction(_ result: Result<Output, Failure>) { target.resolve(result) }

  /// Answers with a value.
  @inlinable public func succeed(_ output: Output) { target.resolve(.success(output)) }

  /// Answers with a failure.
  @inlinable public func fail(_ error: Failure) { target.resolve(.failure(error)) }
}

/// The subscription of one call that answers through a callback, and its resolver's target.
///
/// It knows neither the subscriber's type nor the work's: it stores both, and a closure compiled for them, because code reached
/// through a subscription or a service is otherwise generic, and ten times slower.
///
/// `@unchecked Sendable`: a variable belongs to the thread that sets its bit. `downstream` is stored before the work's call or
/// `waiting`, and belongs to the answer that sets `claimed`, else to the thread that carries out the cancellation. `handle` is
/// stored before `armed`, and belongs to the later of `armed` and {`claimed`, `cancelled`}; before the work's call it stores
/// how to start it, which belongs to the first of {requested, cancelled} once `waiting` is set. `afterwards` is written by the
/// one call that sets `cancelled`, before `handedOver`. The object is small: glibc frees up to 120 bytes on another thread
/// without its lock.
@usableFromInline
final class CallbackSubscription<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  /// How the subscriber and the handle end.
  @usableFromInline enum Ending {
    /// The answer goes to the subscriber; the handle is released, if the flag says that there is one.
    case answer(Result<Output, Failure>, hasHandle: Bool)
    /// The subscriber is released, and started work is cancelled.
    case cancellation
    /// Both are released.
    case loss
  }

  @usableFromInline typealias Finish = (CallbackSubscription, Ending) -> Void
  @usableFromInline typealias Start = @Sendable (CallbackSubscription) -> Void

  @usableFromInline static var requested: UInt16 { 1 }
  /// There was no demand when the subscription was handed out; demand finds in `handle` how to start the work.
  @usableFromInline static var waiting: UInt16 { 2 }
  /// The work's call has returned, or will not be made.
  @usableFromInline static var armed: UInt16 { 4 }
  /// There is an answer, and no cancellation came before it.
  @usableFromInline static var claimed: UInt16 { 8 }
  @usableFromInline static var delivered: UInt16 { 16 }
  @usableFromInline static var cancelled: UInt16 { 32 }
  /// `afterwards` waits for the work's call to return, or for the delivery to end.
  @usableFromInline static var handedOver: UInt16 { 64 }

  @usableFromInline let bits: Atomic<UInt16>
  @usableFromInline @exclusivity(unchecked) var holdsDownstream = false
  @usableFromInline @exclusivity(unchecked) var holdsHandle = false
  @usableFromInline let finish: Finish
  @usableFromInline @exclusivity(unchecked) var downstream = InlineStorage((0, 0, 0, 0))
  @usableFromInline @exclusivity(unchecked) var handle = InlineStorage((0, 0, 0, 0))
  @usableFromInline @exclusivity(unchecked) var afterwards: (@Sendable () -> Void)?

  /// - Parameter isArmed: whether the work is already running, and cannot be cancelled.
  @inlinable init(isArmed: Bool = false, finish: @escaping Finish) {
    bits = Atomic(isArmed ? Self.armed : 0)
    self.finish = finish
  }

  deinit {
    if bits.load(ordering: .relaxed) & (Self.waiting | Self.requested | Self.cancelled) == Self.waiting {
      abandon()
    }
    if holdsDownstream || holdsHandle { lose() }
  }

  /// Apart from the deinit, which would look up the ending's metadata before it needs it.
  @inline(never) private func lose() { finish(self, .loss) }

  /// Starts the work on demand.
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

  /// Releases what waited for demand.
  func abandon() {
    _ = handle.take(Start.self)
    finish(self, .loss)
  }

  @inlinable var isCancelled: Bool { bits.load(ordering: .relaxed) & Self.cancelled != 0 }
  @inlinable var isAnswered: Bool { bits.load(ordering: .acquiring) & Self.claimed != 0 }
  @inlinable var isEager: Bool { bits.load(ordering: .acquiring) & (Self.requested | Self.cancelled) != 0 }

  /// The work's call has returned, or will not be made: from now on a cancellation acts at once.
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

  /// Cancels; returns the bit to wait for when a delivery, or the work's call, is still running.
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
