// SwiftCoroutine's names for our coroutines. What is cancelled or let go of is `canceled` there.
import Coroutines
import Dispatch
import Foundation

public enum CoFutureError: Error { case canceled, timeout }
public enum CoroutineError: Error { case calledOutsideCoroutine, canceled }
public enum CoChannelError: Error { case canceled, closed }

private func theirs(_ error: any Error) -> any Error {
  switch error {
  case is CancellationError, Coroutines.CoroutineError.dropped: CoFutureError.canceled
  case Coroutines.CoroutineError.timedOut: CoFutureError.timeout
  case Coroutines.CoChannelError.closed: CoChannelError.closed
  case Coroutines.CoChannelError.cancelled: CoChannelError.canceled
  default: error
  }
}

/// Calls with their errors, inside a coroutine only.
private func waiting<Value>(_ body: () throws -> Value) throws -> Value {
  guard Coroutines.Coroutine.isRunning else { throw CoroutineError.calledOutsideCoroutine }
  do { return try body() } catch is CancellationError { throw CoroutineError.canceled } catch {
    throw theirs(error)
  }
}

private func duration(_ interval: DispatchTimeInterval) -> Duration {
  switch interval {
  case .seconds(let count): .seconds(count)
  case .milliseconds(let count): .milliseconds(count)
  case .microseconds(let count): .microseconds(count)
  case .nanoseconds(let count): .nanoseconds(count)
  default: .seconds(1_000_000)
  }
}

// MARK: Schedulers and coroutines

public protocol CoroutineScheduler {
  func scheduleTask(_ task: @escaping () -> Void)
}

extension DispatchQueue: CoroutineScheduler {
  public func scheduleTask(_ task: @escaping () -> Void) { async(execute: task) }
}

extension OperationQueue: CoroutineScheduler {
  public func scheduleTask(_ task: @escaping () -> Void) { addOperation(task) }
}

private final class Adapted: Coroutines.CoroutineScheduler, @unchecked Sendable {
  let scheduler: any CoroutineScheduler
  init(_ scheduler: any CoroutineScheduler) { self.scheduler = scheduler }
  func schedule(_ work: @escaping @Sendable () -> Void) { scheduler.scheduleTask(work) }
}

extension CoroutineScheduler {
  public func startCoroutine(task: @escaping () throws -> Void) {
    _ = Coroutines.Coroutine.start(on: Adapted(self), task)
  }

  public func coroutineFuture<T>(_ task: @escaping () throws -> T) -> CoFuture<T> {
    CoFuture(Coroutines.Coroutine.start(on: Adapted(self), task))
  }

  public func await<T>(_ task: @escaping () throws -> T) throws -> T {
    try coroutineFuture(task).await()
  }

  public func actor<T>(
    of type: T.Type = T.self, body: @escaping (CoChannel<T>.Receiver) throws -> Void
  ) -> CoChannel<T>.Sender {
    let (receiver, sender) = CoChannel<T>().pair
    startCoroutine { try body(receiver) }
    return sender
  }
}

public enum Coroutine {
  public static var isInsideCoroutine: Bool { Coroutines.Coroutine.isRunning }

  public static func start(_ task: @escaping () throws -> Void) { _ = Coroutines.Coroutine.start(task) }

  public static func delay(_ time: DispatchTimeInterval) throws {
    try waiting { try Coroutines.Coroutine.delay(duration(time)) }
  }

  public static func await(_ callback: (@escaping () -> Void) -> Void) throws {
    try self.await { done in callback { done(()) } }
  }
  public static func await<T>(_ callback: (@escaping (T) -> Void) -> Void) throws -> T {
    try waiting { try Coroutines.Coroutine.await { done in callback { done(.success($0)) } } }
  }
  public static func await<T, N>(_ callback: (@escaping (T, N) -> Void) -> Void) throws -> (T, N) {
    try self.await { done in callback { done(($0, $1)) } }
  }
  public static func await<T, N, M>(_ callback: (@escaping (T, N, M) -> Void) -> Void) throws -> (T, N, M) {
    try self.await { done in callback { done(($0, $1, $2)) } }
  }
}

// MARK: Futures

public class CoFuture<Value>: Hashable {
  fileprivate let base: Coroutines.CoFuture<Value>
  fileprivate init(_ base: Coroutines.CoFuture<Value>) { self.base = base }

  public convenience init(result: Result<Value, Error>) {
    let promise = Coroutines.CoPromise<Value>()
    promise.complete(result)
    self.init(promise.future)
  }
  public convenience init(task: @escaping () throws -> Value) { self.init(Coroutines.Coroutine.start(task)) }
  public convenience init(promise start: (@escaping (Result<Value, Error>) -> Void) -> Void) {
    let promise = Coroutines.CoPromise<Value>()
    start { promise.complete($0) }
    self.init(promise.future)
  }

  public static func == (left: CoFuture, right: CoFuture) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var result: Result<Value, Error>? {
    guard base.isResolved else { return nil }
    var result: Result<Value, Error>?
    base.whenDone { result = $0.mapError(theirs) }
    return result
  }
  public var isCanceled: Bool {
    if case .failure(CoFutureError.canceled) = result { true } else { false }
  }
  public func cancel() { base.cancel() }
  public func await() throws -> Value { try result?.get() ?? waiting { try base.await() } }
  public func await(timeout: DispatchTimeInterval) throws -> Value {
    try result?.get() ?? waiting { try base.timeout(duration(timeout)).await() }
  }

  public func whenComplete(_ callback: @escaping (Result<Value, Error>) -> Void) {
    base.whenDone { callback($0.mapError(theirs)) }
  }
  public func whenComplete(_ callback: @escaping () -> Void) { base.whenDone { _ in callback() } }
  public func whenSuccess(_ callback: @escaping (Value) -> Void) {
    whenComplete { if case .success(let value) = $0 { callback(value) } }
  }
  public func whenFailure(_ callback: @escaping (Error) -> Void) {
    whenComplete { if case .failure(let error) = $0 { callback(error) } }
  }
  public func whenCanceled(_ callback: @escaping () -> Void) {
    whenFailure { if case CoFutureError.canceled = $0 { callback() } }
  }

  public func map<T>(_ transform: @escaping (Value) throws -> T) -> CoFuture<T> {
    CoFuture<T>(base.map(transform))
  }
  public func recover(_ transform: @escaping (Error) throws -> Value) -> CoFuture {
    CoFuture(base.recover { try transform(theirs($0)) })
  }
  public func mapResult<T>(_ transform: @escaping (Result<Value, Error>) -> Result<T, Error>) -> CoFuture<T> {
    CoFuture<T>(
      base.map { Result<Value, Error>.success($0) }.recover { .failure(theirs($0)) }
        .map { try transform($0).get() })
  }
  public func flatMap<T>(_ next: @escaping (Value) -> CoFuture<T>) -> CoFuture<T> {
    CoFuture<T>(base.flatMap { next($0).base })
  }
  public func flatMapError(_ next: @escaping (Error) -> CoFuture) -> CoFuture {
    CoFuture(base.flatRecover { next(theirs($0)).base })
  }
  public func flatMapResult<T>(_ next: @escaping (Result<Value, Error>) -> CoFuture<T>) -> CoFuture<T> {
    CoFuture<T>(
      base.map { Result<Value, Error>.success($0) }.recover { .failure(theirs($0)) }
        .flatMap { next($0).base })
  }
}

public final class CoPromise<Value>: CoFuture<Value> {
  private let promise = Coroutines.CoPromise<Value>()
  public init() { super.init(promise.future) }

  public func complete<E: Error>(with result: Result<Value, E>) { promise.complete(result.mapError { $0 }) }
  public func complete(with future: CoFuture<Value>) {
    future.whenComplete { [promise] in promise.complete($0) }
    promise.onCancel { future.cancel() }
  }
  public func success(_ value: Value) { promise.succeed(value) }
  public func fail(_ error: Error) { promise.fail(error) }
}

// MARK: Channels

private enum End { case none, closed, canceled }

public class CoChannel<Element> {
  public enum BufferType: Equatable { case buffered(capacity: Int), unlimited, conflated, none }
  public typealias Sender = CoChannel

  public let bufferType: BufferType
  fileprivate let base: Coroutines.CoChannel<Element>
  fileprivate let end = Ending()

  public init(bufferType: BufferType = .unlimited) {
    self.bufferType = bufferType
    let buffering: CoChannelBuffering =
      switch bufferType {
      case .buffered(let capacity): .bounded(capacity)
      case .unlimited: .unlimited
      case .conflated: .conflated
      case .none: .rendezvous
      }
    base = .init(buffering)
  }
  public convenience init(capacity: Int) {
    self.init(
      bufferType: capacity == 0 ? .none : capacity == .max ? .unlimited : .buffered(capacity: capacity))
  }
  deinit { base.cancel() }

  public var receiver: Receiver { Receiver(channel: self, poll: base.poll) { try self.base.receive() } }
  public var sender: Sender { self }
  public var pair: (receiver: Receiver, sender: Sender) { (receiver, sender) }

  @discardableResult public func offer(_ element: Element) -> Bool { base.offer(element) }
  public func awaitSend(_ element: Element) throws {
    if base.offer(element) { return }
    if let error = end.error { throw error }
    try waiting { try base.send(element) }
  }
  public func sendFuture(_ future: CoFuture<Element>) {
    future.whenSuccess { [weak base] element in
      guard let base else { return }
      _ = Coroutines.Coroutine.start { try base.send(element) }
    }
  }
  @discardableResult public func close() -> Bool {
    defer { base.close() }
    return end.set(.closed)
  }

  public func awaitReceive() throws -> Element { try receiver.awaitReceive() }
  public func receiveFuture() -> CoFuture<Element> { receiver.receiveFuture() }
  public func poll() -> Element? { base.poll() }
  public func whenReceive(_ callback: @escaping (Result<Element, CoChannelError>) -> Void) {
    let end = end
    CoFuture(Coroutines.Coroutine.start { [base] in try base.receive() }).whenComplete {
      callback($0.mapError { ($0 as? CoChannelError) ?? end.error ?? .canceled })
    }
  }
  public func makeIterator() -> AnyIterator<Element> { receiver.makeIterator() }
  public func map<T>(_ transform: @escaping (Element) -> T) -> CoChannel<T>.Receiver {
    receiver.map(transform)
  }
  public var count: Int { base.count }
  public var isEmpty: Bool { base.count == 0 }
  public var isClosed: Bool { base.isClosed }
  public var isCanceled: Bool { end.value == .canceled }
  public func cancel() {
    _ = end.set(.canceled)
    base.cancel()
  }

  /// The receiving side, perhaps with a function behind it.
  public struct Receiver {
    let bufferType: BufferType
    let state: () -> (count: Int, isClosed: Bool, error: CoChannelError?)
    let cancelling: () -> Void
    let polling: () -> Element?
    let receiving: () throws -> Element

    fileprivate init<Source>(
      channel: CoChannel<Source>, poll: @escaping () -> Element?, receive: @escaping () throws -> Element
    ) {
      bufferType = channel.bufferType.of(Element.self)
      state = { (channel.count, channel.isClosed, channel.end.error) }
      cancelling = channel.cancel
      polling = poll
      receiving = receive
    }
    private init<Source>(_ source: CoChannel<Source>.Receiver, _ transform: @escaping (Source) -> Element) {
      bufferType = source.bufferType.of(Element.self)
      state = source.state
      cancelling = source.cancelling
      polling = { source.polling().map(transform) }
      receiving = { transform(try source.receiving()) }
    }

    public func poll() -> Element? { polling() }
    public func awaitReceive() throws -> Element {
      if let element = polling() { return element }
      if let error = state().error { throw error }
      return try waiting(receiving)
    }
    public func receiveFuture() -> CoFuture<Element> { CoFuture(Coroutines.Coroutine.start(receiving)) }
    public func whenReceive(_ callback: @escaping (Result<Element, CoChannelError>) -> Void) {
      receiveFuture().whenComplete { callback($0.mapError { ($0 as? CoChannelError) ?? .canceled }) }
    }
    public func makeIterator() -> AnyIterator<Element> {
      AnyIterator { Coroutine.isInsideCoroutine ? try? receiving() : polling() }
    }
    public func map<T>(_ transform: @escaping (Element) -> T) -> CoChannel<T>.Receiver {
      .init(self, transform)
    }
    public var count: Int { state().count }
    public var isEmpty: Bool { count == 0 }
    public var isClosed: Bool { state().isClosed }
    public var isCanceled: Bool { state().error == .canceled }
    public func cancel() { cancelling() }
  }
}

extension CoChannel.BufferType {
  fileprivate func of<T>(_: T.Type) -> CoChannel<T>.BufferType {
    switch self {
    case .buffered(let capacity): .buffered(capacity: capacity)
    case .unlimited: .unlimited
    case .conflated: .conflated
    case .none: .none
    }
  }
}

/// How a channel ended: ours does not tell a channel that was cancelled from one that was closed without a call that throws.
private final class Ending: @unchecked Sendable {
  private let lock = NSLock()
  private var end = End.none

  var value: End { lock.withLock { end } }
  var error: CoChannelError? {
    switch value {
    case .none: nil
    case .closed: .closed
    case .canceled: .canceled
    }
  }
  /// Whether it had not ended.
  func set(_ new: End) -> Bool {
    lock.withLock {
      defer { if end != .canceled { end = new } }
      return end == .none
    }
  }
}

public typealias _BufferedChannel<Element> = CoChannel<Element>
public final class _ConflatedChannel<Element>: CoChannel<Element> {
  public init() { super.init(bufferType: .conflated) }
}
