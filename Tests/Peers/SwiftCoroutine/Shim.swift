// What differs from ours under SwiftCoroutine's names: values that are not `Sendable`, its errors, what it has besides.
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
  case Coroutines.CoChannelError.canceled: CoChannelError.canceled
  default: error
  }
}

/// Calls with their errors, inside a coroutine only.
private func waiting<Value>(_ body: () throws -> Value) throws -> Value {
  guard Coroutines.Coroutine.isInsideCoroutine else { throw CoroutineError.calledOutsideCoroutine }
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
  func scheduleTask(_ task: @escaping @Sendable () -> Void) { scheduler.scheduleTask(task) }
}

extension CoroutineScheduler {
  public func startCoroutine(in scope: CoScope? = nil, task: @escaping () throws -> Void) {
    Adapted(self).startCoroutine(in: scope, task: task)
  }

  public func coroutineFuture<T>(_ task: @escaping () throws -> T) -> CoFuture<T> {
    CoFuture(Adapted(self).coroutineFuture(task))
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
  public static var isInsideCoroutine: Bool { Coroutines.Coroutine.isInsideCoroutine }

  public static func start(_ task: @escaping () throws -> Void) { _ = Coroutines.Coroutine.start(task) }

  public static func delay(_ time: DispatchTimeInterval) throws {
    try waiting { try Coroutines.Coroutine.delay(duration(time)) }
  }

  public static func await(_ callback: (@escaping () -> Void) -> Void) throws {
    try self.await { done in callback { done(()) } }
  }
  public static func await<T>(_ callback: (@escaping (T) -> Void) -> Void) throws -> T {
    try waiting { try Coroutines.Coroutine.await { done in callback { done($0) } } }
  }
  public static func await<T, N>(_ callback: (@escaping (T, N) -> Void) -> Void) throws -> (T, N) {
    try self.await { done in callback { done(($0, $1)) } }
  }
  public static func await<T, N, M>(_ callback: (@escaping (T, N, M) -> Void) -> Void) throws -> (T, N, M) {
    try self.await { done in callback { done(($0, $1, $2)) } }
  }
}

// MARK: Futures

public class CoFuture<Value>: Hashable, CoCancellable {
  fileprivate let base: Coroutines.CoFuture<Value>
  fileprivate init(_ base: Coroutines.CoFuture<Value>) { self.base = base }

  public convenience init(result: Result<Value, Error>) {
    self.init(Coroutines.CoFuture(result: result))
  }
  public convenience init(task: @escaping () throws -> Value) { self.init(Coroutines.CoFuture(task: task)) }
  public convenience init(promise start: (@escaping (Result<Value, Error>) -> Void) -> Void) {
    let promise = Coroutines.CoPromise<Value>()
    start { promise.complete(with: $0) }
    self.init(promise)
  }

  public static func == (left: CoFuture, right: CoFuture) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var result: Result<Value, Error>? { base.result?.mapError(theirs) }
  public var isCanceled: Bool {
    if case .failure(CoFutureError.canceled) = result { true } else { false }
  }
  public func cancel() { base.cancel() }
  public func await() throws -> Value { try result?.get() ?? waiting { try base.await() } }
  public func await(timeout: DispatchTimeInterval) throws -> Value {
    try result?.get() ?? waiting { try base.await(timeout: duration(timeout)) }
  }

  public func whenComplete(_ callback: @escaping (Result<Value, Error>) -> Void) {
    base.whenComplete { callback($0.mapError(theirs)) }
  }
  public func whenComplete(_ callback: @escaping () -> Void) { base.whenComplete(callback) }
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
    CoFuture<T>(base.mapResult { transform($0.mapError(theirs)) })
  }
  public func flatMap<T>(_ next: @escaping (Value) -> CoFuture<T>) -> CoFuture<T> {
    CoFuture<T>(base.flatMap { next($0).base })
  }
  public func flatMapError(_ next: @escaping (Error) -> CoFuture) -> CoFuture {
    CoFuture(base.flatMapError { next(theirs($0)).base })
  }
  public func flatMapResult<T>(_ next: @escaping (Result<Value, Error>) -> CoFuture<T>) -> CoFuture<T> {
    CoFuture<T>(base.flatMapResult { next($0.mapError(theirs)).base })
  }
}

public final class CoPromise<Value>: CoFuture<Value> {
  private let promise = Coroutines.CoPromise<Value>()
  public init() { super.init(promise) }

  public func complete<E: Error>(with result: Result<Value, E>) { promise.complete(with: result) }
  public func complete(with future: CoFuture<Value>) {
    promise.complete(with: future.base)
  }
  public func success(_ value: Value) { promise.success(value) }
  public func fail(_ error: Error) { promise.fail(error) }
}

// MARK: Channels

public class CoChannel<Element>: CoCancellable {
  public enum BufferType: Equatable { case buffered(capacity: Int), unlimited, none }
  public typealias Sender = CoChannel

  public let bufferType: BufferType
  fileprivate let base: Coroutines.CoChannel<Element>

  public init(bufferType: BufferType = .unlimited) {
    self.bufferType = bufferType
    base =
      switch bufferType {
      case .buffered(let capacity): .init(capacity: capacity)
      case .unlimited: .init()
      case .none: .init(capacity: 0)
      }
  }
  public convenience init(capacity: Int) {
    self.init(
      bufferType: capacity == 0 ? .none : capacity == .max ? .unlimited : .buffered(capacity: capacity))
  }
  deinit { base.cancel() }

  public var receiver: Receiver { Receiver(channel: self, poll: base.poll) { try self.base.awaitReceive() } }
  public var sender: Sender { self }
  public var pair: (receiver: Receiver, sender: Sender) { (receiver, sender) }

  @discardableResult public func offer(_ element: Element) -> Bool { base.offer(element) }
  public func awaitSend(_ element: Element) throws {
    if base.offer(element) { return }
    if let error { throw error }
    try waiting { try base.awaitSend(element) }
  }
  public func sendFuture(_ future: CoFuture<Element>) {
    future.whenSuccess { [weak base] element in
      guard let base else { return }
      _ = Coroutines.CoFuture { try base.awaitSend(element) }
    }
  }
  @discardableResult public func close() -> Bool { base.close() }

  public func awaitReceive() throws -> Element { try receiver.awaitReceive() }
  public func receiveFuture() -> CoFuture<Element> { receiver.receiveFuture() }
  public func poll() -> Element? { base.poll() }
  public func whenReceive(_ callback: @escaping (Result<Element, CoChannelError>) -> Void) {
    receiveFuture().whenComplete { callback($0.mapError { ($0 as? CoChannelError) ?? .canceled }) }
  }
  public func makeIterator() -> AnyIterator<Element> { receiver.makeIterator() }
  public func map<T>(_ transform: @escaping (Element) -> T) -> CoChannel<T>.Receiver {
    receiver.map(transform)
  }
  public var count: Int { base.count }
  public var isEmpty: Bool { base.count == 0 }
  public var isClosed: Bool { base.isClosed }
  public var isCanceled: Bool { base.isCanceled }
  public func cancel() { base.cancel() }
  public func whenComplete(_ callback: @escaping () -> Void) { base.whenComplete(callback) }
  public func whenCanceled(_ callback: @escaping () -> Void) {
    base.whenComplete { [weak base] in if base?.isCanceled ?? true { callback() } }
  }
  fileprivate var error: CoChannelError? { isCanceled ? .canceled : isClosed ? .closed : nil }

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
      state = { (channel.count, channel.isClosed, channel.error) }
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
    public func receiveFuture() -> CoFuture<Element> { CoFuture(Coroutines.CoFuture(task: receiving)) }
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
    case .none: .none
    }
  }
}

public typealias _BufferedChannel<Element> = CoChannel<Element>

// MARK: Scopes

public protocol CoCancellable: AnyObject {
  func cancel()
  func whenComplete(_ callback: @escaping () -> Void)
}

extension CoCancellable {
  @discardableResult public func added(to scope: CoScope) -> Self {
    scope.add(self)
    return self
  }
}

extension CoScope: CoCancellable {
  public func add(_ item: any CoCancellable) { add(Cancellable(item)) }
}

/// Ours holds no reference to an item either, so this one lives as long as the item's callback.
private final class Cancellable: Coroutines.CoCancellable, @unchecked Sendable {
  private weak var item: (any CoCancellable)?
  init(_ item: any CoCancellable) { self.item = item }
  func cancel() { item?.cancel() }
  func whenComplete(_ callback: @escaping () -> Void) {
    item?.whenComplete { [self] in withExtendedLifetime(self, callback) }
  }
}
