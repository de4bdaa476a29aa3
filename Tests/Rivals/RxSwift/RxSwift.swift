// Signatures of RxSwift 6.10.2 that the contender and the operations use; nothing of it runs.
public import Dispatch

public typealias RxTimeInterval = DispatchTimeInterval

public protocol Disposable { func dispose() }

public protocol Cancelable: Disposable {}

public struct Disposables {
  public static func create() -> any Disposable { fatalError() }
  public static func create(with dispose: @escaping () -> Void) -> any Cancelable { fatalError() }
}

public final class SingleAssignmentDisposable: Disposable {
  public init() {}
  public func setDisposable(_ disposable: any Disposable) {}
  public func dispose() {}
}

public protocol ImmediateSchedulerType {
  func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable
}

public protocol SchedulerType: ImmediateSchedulerType {}

public class SerialDispatchQueueScheduler: SchedulerType {
  public init(queue: DispatchQueue, internalSerialQueueName: String) {}
  public final func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable { fatalError() }
}

public class ConcurrentDispatchQueueScheduler: SchedulerType {
  public init(queue: DispatchQueue) {}
  public final func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable { fatalError() }
}

public protocol ObservableConvertibleType {
  associatedtype Element
  func asObservable() -> Observable<Element>
}

public protocol ObservableType: ObservableConvertibleType {}

public class Observable<Element>: ObservableType {
  public func asObservable() -> Observable<Element> { self }
}

public final class PublishSubject<Element>: Observable<Element> {
  public override init() {}
  public func onNext(_ element: Element) {}
}

public enum TakeBehavior {
  case inclusive
}

extension ObservableType {
  public static func just(_ element: Element) -> Observable<Element> { fatalError() }
  public static func from(_ array: [Element]) -> Observable<Element> { fatalError() }
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> { fatalError() }
  public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> { fatalError() }
  public static func zip<Source: ObservableType>(
    _ sources: [Source]
  ) -> Observable<[Source.Element]> where Element == [Source.Element] { fatalError() }
  public static func zip<A: ObservableType, B: ObservableType, C: ObservableType>(
    _ a: A, _ b: B, _ c: C,
    resultSelector: @escaping (A.Element, B.Element, C.Element) throws -> Element
  ) -> Observable<Element> { fatalError() }

  public func subscribe(onNext: ((Element) -> Void)? = nil) -> any Disposable { fatalError() }
  public func map<New>(_ transform: @escaping (Element) throws -> New) -> Observable<New> { fatalError() }
  public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> { fatalError() }
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> { fatalError() }
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> { fatalError() }
  public func merge(
    maxConcurrent: Int
  ) -> Observable<Element.Element> where Element: ObservableConvertibleType { fatalError() }
  public func take(
    until predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior
  ) -> Observable<Element> { fatalError() }
  public func enumerated() -> Observable<(index: Int, element: Element)> { fatalError() }
  public func toArray() -> Single<[Element]> { fatalError() }
}

extension ObservableType where Element: FixedWidthInteger {
  public static func range(start: Element, count: Element) -> Observable<Element> { fatalError() }
  public static func interval(
    _ period: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> { fatalError() }
}

public enum SingleTrait {}

public struct PrimitiveSequence<Trait, Element>: ObservableConvertibleType {
  public func asObservable() -> Observable<Element> { fatalError() }
}

public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequence {
  public static func deferred(_ make: @escaping () throws -> Self) -> Self { fatalError() }
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self { fatalError() }
  public func observe(on scheduler: any ImmediateSchedulerType) -> Self { fatalError() }
  public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    fatalError()
  }
  public func timeout(_ dueTime: RxTimeInterval, other: Self, scheduler: any SchedulerType) -> Self {
    fatalError()
  }
  public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping (Observable<any Error>) -> Trigger
  ) -> Self { fatalError() }
}

extension PrimitiveSequence where Trait == SingleTrait {
  public static func create(
    subscribe: @escaping (@escaping (SingleEvent<Element>) -> Void) -> any Disposable
  ) -> Single<Element> { fatalError() }
  public static func just(_ element: Element) -> Single<Element> { fatalError() }
  public static func error(_ error: any Error) -> Single<Element> { fatalError() }
  public static func zip<A, B, C>(
    _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, resultSelector: @escaping (A, B, C) throws -> Element
  ) -> Single<Element> { fatalError() }

  public func subscribe(_ observer: @escaping (SingleEvent<Element>) -> Void) -> any Disposable {
    fatalError()
  }
  public func map<New>(_ transform: @escaping (Element) throws -> New) -> Single<New> { fatalError() }
  public func flatMap<New>(_ selector: @escaping (Element) throws -> Single<New>) -> Single<New> {
    fatalError()
  }
  public func `catch`(_ handler: @escaping (any Error) throws -> Single<Element>) -> Single<Element> {
    fatalError()
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element: FixedWidthInteger {
  public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Single<Element> {
    fatalError()
  }
}
