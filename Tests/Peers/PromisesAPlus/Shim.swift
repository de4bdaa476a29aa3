// PromiseKit's names for our futures. Callbacks come on the main queue unless a test says otherwise, as there.
import Dispatch
import Foundation
import Futures

public enum PMKError: Error {
  case returnedSelf, badInput, cancelled
  case compactMap(Any, Any.Type)
  case emptySequence
}

public enum Result<T> {
  case fulfilled(T)
  case rejected(Error)
}

public struct PMKConfiguration {
  public var Q: (map: DispatchQueue?, return: DispatchQueue?) = (map: .main, return: .main)
}
nonisolated(unsafe) public var conf = PMKConfiguration()

/// Ours says it in another error.
private func theirs(_ error: any Error) -> any Error {
  switch error {
  case FutureError.waitsForItself: PMKError.returnedSelf
  case FutureError.noFutures: PMKError.badInput
  default: error
  }
}

public struct Resolver<T> {
  fileprivate let promise: Futures.Promise<T>

  public func fulfill(_ value: T) { promise.succeed(value) }
  public func reject(_ error: Error) { promise.fail(error) }
  public func resolve(_ value: T?, _ error: Error?) {
    if let error {
      reject(error)
    } else if let value {
      fulfill(value)
    } else {
      reject(PMKError.badInput)
    }
  }
}

extension Resolver where T == Void {
  public func fulfill_() { fulfill(()) }
}

public final class Promise<T> {
  fileprivate let future: Future<T>
  fileprivate init(_ future: Future<T>) { self.future = future }

  public convenience init(error: Error) { self.init(Future(error: error)) }
  public convenience init(resolver body: (Resolver<T>) throws -> Void) {
    let (promise, resolver) = Promise.pending()
    do { try body(resolver) } catch { resolver.reject(error) }
    self.init(promise.future)
  }

  public static func value(_ value: T) -> Promise { Promise(Future(value: value)) }

  public static func pending() -> (promise: Promise, resolver: Resolver<T>) {
    let promise = Futures.Promise<T>()
    return (Promise(promise.future), Resolver(promise: promise))
  }

  public var isPending: Bool { !future.isComplete }
  public var isResolved: Bool { future.isComplete }
  public var isFulfilled: Bool { value != nil }
  public var isRejected: Bool { error != nil }
  public var value: T? { try? future.result?.get() }
  public var error: Error? { if case .failure(let error) = future.result { theirs(error) } else { nil } }

  private func on(_ queue: DispatchQueue?) -> Future<T> { future.delivered(on: queue) }

  public func then<U>(
    on queue: DispatchQueue? = conf.Q.map, _ body: @escaping (T) throws -> Promise<U>
  ) -> Promise<U> { Promise<U>(on(queue).flatMap { try body($0).future }) }

  public func map<U>(
    on queue: DispatchQueue? = conf.Q.map, _ transform: @escaping (T) throws -> U
  ) -> Promise<U> { Promise<U>(on(queue).map(transform)) }

  public func compactMap<U>(
    on queue: DispatchQueue? = conf.Q.map, _ transform: @escaping (T) throws -> U?
  ) -> Promise<U> {
    map(on: queue) { value in
      guard let made = try transform(value) else { throw PMKError.compactMap(value, U.self) }
      return made
    }
  }

  public func done(
    on queue: DispatchQueue? = conf.Q.return, _ body: @escaping (T) throws -> Void
  ) -> Promise<Void> { map(on: queue, body) }

  public func get(
    on queue: DispatchQueue? = conf.Q.return, _ body: @escaping (T) throws -> Void
  ) -> Promise {
    map(on: queue) {
      try body($0)
      return $0
    }
  }

  public func tap(
    on queue: DispatchQueue? = conf.Q.map, _ body: @escaping (Result<T>) -> Void
  ) -> Promise {
    let delivered = on(queue)
    delivered.whenComplete {
      switch $0 {
      case .success(let value): body(.fulfilled(value))
      case .failure(let error): body(.rejected(theirs(error)))
      }
    }
    return Promise(delivered)
  }

  public func asVoid() -> Promise<Void> { map(on: nil) { _ in } }

  @discardableResult
  public func `catch`(
    on queue: DispatchQueue? = conf.Q.return, _ body: @escaping (Error) -> Void
  ) -> Finalizer {
    let done = on(queue)
    return Finalizer(
      Promise<Void>(
        done.map { _ in }.recover { body(theirs($0)) }))
  }

  public func recover(
    on queue: DispatchQueue? = conf.Q.map, _ body: @escaping (Error) throws -> Promise
  ) -> Promise { Promise(on(queue).flatMapError { try body(theirs($0)).future }) }

  public func ensure(on queue: DispatchQueue? = conf.Q.return, _ body: @escaping () -> Void) -> Promise {
    Promise(on(queue).ensure(body))
  }

  public func ensureThen(
    on queue: DispatchQueue? = conf.Q.return, _ body: @escaping () -> Promise<Void>
  ) -> Promise {
    Promise(
      on(queue).flatMap { value in body().future.recover { _ in }.map { value } }
        .flatMapError { error in body().future.recover { _ in }.map { throw error } })
  }

  public func wait() throws -> T { try future.wait() }
  public func cauterize() {}
}

extension Promise where T == Void {
  public convenience init() { self.init(Future(value: ())) }

  public func recover(
    on queue: DispatchQueue? = conf.Q.map, _ body: @escaping (Error) throws -> Void
  ) -> Promise { Promise(future.delivered(on: queue).recover { try body(theirs($0)) }) }
}

public struct Finalizer {
  fileprivate let promise: Promise<Void>
  fileprivate init(_ promise: Promise<Void>) { self.promise = promise }
  public func finally(on queue: DispatchQueue? = conf.Q.return, _ body: @escaping () -> Void) {
    _ = promise.ensure(on: queue, body)
  }
}

public func firstly<T>(execute body: () throws -> Promise<T>) -> Promise<T> {
  do { return try body() } catch { return Promise(error: error) }
}

public func when<T>(fulfilled promises: [Promise<T>]) -> Promise<[T]> {
  Promise(Future.all(promises.map(\.future)))
}
public func when(fulfilled promises: [Promise<Void>]) -> Promise<Void> {
  Promise(Future.all(promises.map(\.future)).map { _ in })
}
public func when(fulfilled promises: Promise<Void>...) -> Promise<Void> { when(fulfilled: promises) }
public func when<U, V>(fulfilled u: Promise<U>, _ v: Promise<V>) -> Promise<(U, V)> {
  Promise(Future.zip(u.future, v.future))
}
public func when<U, V, W>(fulfilled u: Promise<U>, _ v: Promise<V>, _ w: Promise<W>) -> Promise<(U, V, W)> {
  Promise(Future.zip(u.future, v.future, w.future))
}
public func race<T>(_ promises: Promise<T>...) -> Promise<T> { race(promises) }
public func race<T>(_ promises: [Promise<T>]) -> Promise<T> {
  promises.isEmpty ? Promise(error: PMKError.badInput) : Promise(Future.race(promises.map(\.future)))
}
public func race<T>(fulfilled promises: [Promise<T>]) -> Promise<T> {
  Promise(Future.any(promises.map(\.future)))
}

public func after(seconds: TimeInterval) -> Promise<Void> {
  Promise(Future.after(.seconds(seconds), value: ()))
}
public func after(_ interval: DispatchTimeInterval) -> Promise<Void> {
  switch interval {
  case .seconds(let count): after(seconds: Double(count))
  case .milliseconds(let count): after(seconds: Double(count) / 1e3)
  case .microseconds(let count): after(seconds: Double(count) / 1e6)
  case .nanoseconds(let count): after(seconds: Double(count) / 1e9)
  default: Promise<Void>.pending().promise
  }
}

extension DispatchQueue {
  public func async<T>(_: PMKNamespacer, execute body: @escaping () throws -> T) -> Promise<T> {
    Promise(future(body))
  }
}
public enum PMKNamespacer { case promise }
