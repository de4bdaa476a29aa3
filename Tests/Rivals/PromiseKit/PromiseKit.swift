// Signatures of PromiseKit 8.2.0 that the contender and the operations use; nothing of it runs.
public import Dispatch

public protocol Thenable: AnyObject { associatedtype T }

public protocol CatchMixin: Thenable {}

public final class Promise<T>: Thenable, CatchMixin {
  public init(error: any Error) {}
  public class func pending() -> (promise: Promise<T>, resolver: Resolver<T>) { fatalError() }
}

public final class Resolver<T> {
  public func fulfill(_ value: T) {}
  public func resolve<E: Error>(_ result: Swift.Result<T, E>) {}
}

/// Hides Swift's from all that import the module.
public enum Result<T> {
  case fulfilled(T)
  case rejected(any Error)
}

public enum CatchPolicy {
  case allErrors
  case allErrorsExceptCancellation
}

public class PMKFinalizer {}

extension Thenable {
  public func then<U: Thenable>(
    on: DispatchQueue? = .main, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) throws -> U
  ) -> Promise<U.T> { fatalError() }
  public func map<U>(
    on: DispatchQueue? = .main, flags: DispatchWorkItemFlags? = nil, _ transform: @escaping (T) throws -> U
  ) -> Promise<U> { fatalError() }
  public func done(
    on: DispatchQueue? = .main, flags: DispatchWorkItemFlags? = nil, _ body: @escaping (T) throws -> Void
  ) -> Promise<Void> { fatalError() }
}

extension CatchMixin {
  @discardableResult public func `catch`(
    on: DispatchQueue? = .main, flags: DispatchWorkItemFlags? = nil,
    policy: CatchPolicy = .allErrorsExceptCancellation, _ body: @escaping (any Error) -> Void
  ) -> PMKFinalizer { fatalError() }
  public func ensure(
    on: DispatchQueue? = .main, flags: DispatchWorkItemFlags? = nil, _ body: @escaping () -> Void
  ) -> Promise<T> { fatalError() }
  @discardableResult public func cauterize() -> PMKFinalizer { fatalError() }
}

public func firstly<U: Thenable>(execute body: () throws -> U) -> Promise<U.T> { fatalError() }

public func when<U: Thenable>(fulfilled thenables: [U]) -> Promise<[U.T]> { fatalError() }
public func when<U: Thenable, V: Thenable, W: Thenable>(
  fulfilled pu: U, _ pv: V, _ pw: W
) -> Promise<(U.T, V.T, W.T)> { fatalError() }
public func when<It: IteratorProtocol>(
  fulfilled promiseIterator: It, concurrently: Int
) -> Promise<[It.Element.T]> where It.Element: Thenable { fatalError() }
