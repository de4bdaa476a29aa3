import RuntimeSupport
import Synchronization

/// What a combining operator knows of one source: its subscription, and which of its values wait.
///
/// A queue of `capacity` places between two parties: the source's serial signals append, the operator's mailbox
/// takes. No more is asked for than there is room for; what a source sends beyond that is dropped. The first
/// places are few, since many sources have one value only; the source makes the others when it fills those.
///
/// The class does not know the values' type: a generic class would destroy them through generic code.
///
/// `@unchecked Sendable`: a place is written by the source before `arrived` counts it, and taken by the mailbox's
/// handler before `taken` does; the other variables belong to the handler.
public final class Lane: @unchecked Sendable {
  @usableFromInline static var capacity: Int { Subscribers.Demand.batch }
  @usableFromInline static var firstCapacity: Int { 4 }
  @usableFromInline static var lastBit: Int { 1 }

  /// How many values have come, times two; plus `lastBit` when no other will. Written by the source alone.
  @usableFromInline let arrived = Atomic<Int>(0)
  /// How many values have been taken. Written by the mailbox's handler alone.
  @usableFromInline let taken = Atomic<Int>(0)
  /// The number of the first value in `places`. Those before it are in `firstPlaces`.
  @usableFromInline let firstInPlaces = Atomic<Int>(.max)
  /// `firstCapacity` places, and one more for the value that `advance` has taken.
  @usableFromInline let firstPlaces: UnsafeMutableRawPointer
  /// `capacity` places. Written by the source before `firstInPlaces`.
  @usableFromInline @exclusivity(unchecked) var places: UnsafeMutableRawPointer?
  @usableFromInline let destroyValues: (Lane) -> Void
  @usableFromInline let replaceLatest: (Lane) -> Void
  @usableFromInline @exclusivity(unchecked) var hasLatest = false
  @usableFromInline @exclusivity(unchecked) var hasFinished = false
  /// How many values have been asked for.
  @usableFromInline @exclusivity(unchecked) var requested = 0
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?

  @inlinable
  init<Value: Sendable>(of type: Value.Type) {
    firstPlaces = UnsafeMutableRawPointer(
      UnsafeMutablePointer<Value>.allocate(capacity: Self.firstCapacity + 1))
    destroyValues = { lane in
      while lane.count > 0 { _ = lane.take(Value.self) }
      if lane.hasLatest { lane.latestPlace(Value.self).deinitialize(count: 1) }
    }
    replaceLatest = { lane in
      let value = lane.take(Value.self)
      if lane.hasLatest { lane.latestPlace(Value.self).deinitialize(count: 1) }
      lane.latestPlace(Value.self).initialize(to: value)
    }
  }

  deinit {
    clear()
    firstPlaces.deallocate()
    places?.deallocate()
  }

  /// Lets go of the subscription and of what waits.
  @usableFromInline
  func clear() {
    upstream = nil
    guard count > 0 || hasLatest else { return }
    destroyValues(self)
    hasLatest = false
  }

  /// How many values wait.
  @inlinable var count: Int { arrived.load(ordering: .acquiring) / 2 - taken.load(ordering: .relaxed) }

  /// Whether the source has finished and nothing of it waits.
  @inlinable var isUsedUp: Bool {
    let seen = arrived.load(ordering: .acquiring)
    return (hasFinished || seen & Self.lastBit != 0) && seen / 2 == taken.load(ordering: .relaxed)
  }

  /// Whether the source will send nothing more.
  @inlinable var isOver: Bool { hasFinished || arrived.load(ordering: .acquiring) & Self.lastBit != 0 }

  /// Takes a value as the source's latest. There must be one.
  @usableFromInline
  func advance() {
    replaceLatest(self)
    hasLatest = true
  }

  /// Asks for what the downstream wants; from a full lane on, when half of one has been taken.
  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    let lacking = demand.lacking(requested - taken.load(ordering: .relaxed))
    if lacking > 0, !isOver { request(lacking) }
  }

  @usableFromInline
  func request(_ count: Int) {
    guard let upstream else { return }
    requested += count
    upstream.request(.max(count))
  }
}

/// A lane's values, for those who know their type: the one that the lane was made for.
extension Lane {
  @inlinable
  func latestPlace<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    firstPlaces.assumingMemoryBound(to: Value.self) + Self.firstCapacity
  }

  /// The value that `advance` took last. There must be one.
  @inlinable func latest<Value>(_ type: Value.Type) -> Value { latestPlace(Value.self).pointee }

  @inlinable
  func place<Value>(_ number: Int, _ type: Value.Type) -> UnsafeMutablePointer<Value> {
    if number >= firstInPlaces.load(ordering: .relaxed), let places {
      return places.assumingMemoryBound(to: Value.self) + number % Self.capacity
    }
    return firstPlaces.assumingMemoryBound(to: Value.self) + number % Self.firstCapacity
  }

  @inlinable
  func append<Value>(_ value: Value, isLast: Bool = false) {
    let number = arrived.load(ordering: .relaxed) / 2
    let waiting = number - taken.load(ordering: .acquiring)
    if waiting >= Self.firstCapacity {
      if waiting >= Self.capacity { return drop(number, isLast: isLast) }
      if places == nil { addPlaces(from: number, Value.self) }
    }
    place(number, Value.self).initialize(to: value)
    keepRetainsAhead()
    arrived.store((number + 1) * 2 + (isLast ? Self.lastBit : 0), ordering: .releasing)
  }

  @usableFromInline
  func drop(_ number: Int, isLast: Bool) {
    if isLast { arrived.store(number * 2 + Self.lastBit, ordering: .releasing) }
  }

  @inlinable
  func addPlaces<Value>(from number: Int, _ type: Value.Type) {
    places = UnsafeMutableRawPointer(UnsafeMutablePointer<Value>.allocate(capacity: Self.capacity))
    firstInPlaces.store(number, ordering: .relaxed)
  }

  /// Takes the value that has waited longest. There must be one.
  @inlinable
  func take<Value>(_ type: Value.Type) -> Value {
    let number = taken.load(ordering: .relaxed)
    let value = place(number, Value.self).move()
    taken.store(number + 1, ordering: .releasing)
    return value
  }
}
