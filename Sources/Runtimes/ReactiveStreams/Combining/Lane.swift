import RuntimeSupport
import Synchronization

/// What a combining operator knows of one source: its subscription, and which of its values wait.
///
/// A queue between two parties: the source's serial signals append, the operator's mailbox takes. A source that waits,
/// or is not asked for everything, is asked for `capacity` values ahead at most, and what it sends beyond that is
/// dropped; one that was asked for everything fills as many places as it takes. There is one at first, since many sources
/// have one value only; when it is full, the source makes a run of more.
///
/// The class does not know the values' type: a generic class would destroy them through generic code.
///
/// `@unchecked Sendable`: a place is written by the source before `arrived` counts it, and taken by the mailbox's
/// handler before `taken` does; `filled` belongs to the source, the other variables to the handler.
public final class Lane: @unchecked Sendable {
  @usableFromInline static var capacity: Int { Subscribers.Demand.batch }
  @usableFromInline static var firstCapacity: Int { 1 }
  @usableFromInline static var lastBit: Int { 1 }

  /// How many values have come, times two; plus `lastBit` when no other will. Written by the source alone.
  @usableFromInline let arrived = Atomic<Int>(0)
  /// How many values have been taken. Written by the mailbox's handler alone.
  @usableFromInline let taken = Atomic<Int>(0)
  /// Whether the source was asked for everything; set before it is.
  @usableFromInline let isUnlimited = Atomic<Bool>(false)
  /// `firstCapacity` places, and one more for the value that `advance` has taken.
  @usableFromInline let first: LaneRun
  /// Where the source puts values, and where the handler takes them: the same run, or a later one.
  @usableFromInline @exclusivity(unchecked) var filled: LaneRun
  @usableFromInline @exclusivity(unchecked) var emptied: LaneRun
  @usableFromInline let destroyValues: (Lane) -> Void
  @usableFromInline let replaceLatest: (Lane) -> Void
  @usableFromInline @exclusivity(unchecked) var hasLatest = false
  @usableFromInline @exclusivity(unchecked) var hasFinished = false
  /// How many values have been asked for.
  @usableFromInline @exclusivity(unchecked) var requested = 0
  /// Whether the source waits with its values.
  @usableFromInline @exclusivity(unchecked) var waits = false
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?

  @inlinable
  init<Value: Sendable>(of type: Value.Type) {
    first = LaneRun(capacity: Self.firstCapacity, and: 1, Value.self)
    filled = first
    emptied = first
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
    while emptied != filled { leaveRun() }
    if emptied != first { emptied.memory.deallocate() }
    first.memory.deallocate()
  }

  /// Goes on to the next run of places, this one being empty.
  @usableFromInline
  func leaveRun() {
    let empty = emptied
    emptied = empty.next
    if empty != first { empty.memory.deallocate() }
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

  /// Keeps the source's subscription, unless there is one: false, and it has to be cancelled.
  @inlinable
  func keep(_ subscription: any Subscription) -> Bool {
    if upstream != nil { return false }
    upstream = subscription
    waits = subscription.waitsForDemand
    return true
  }

  /// Asks for what the downstream wants: for everything, or for a full lane, again when half of one has been taken.
  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    if demand == .unlimited, !waits { return requestAll() }
    let lacking = demand.lacking(requested - taken.load(ordering: .relaxed))
    if lacking > 0, !isOver { request(lacking) }
  }

  @usableFromInline
  func request(_ count: Int) {
    guard let upstream else { return }
    requested += count
    upstream.request(.max(count))
  }

  @usableFromInline
  func requestAll() {
    guard requested != .max, !isOver, let upstream else { return }
    requested = .max
    isUnlimited.store(true, ordering: .relaxed)
    upstream.request(.unlimited)
  }
}

/// A lane's values, for those who know their type: the one that the lane was made for.
extension Lane {
  @inlinable
  func latestPlace<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    first.places(Value.self) + Self.firstCapacity
  }

  /// The value that `advance` took last. There must be one.
  @inlinable func latest<Value>(_ type: Value.Type) -> Value { latestPlace(Value.self).pointee }

  @inlinable
  func append<Value>(_ value: Value, isLast: Bool = false) {
    let number = arrived.load(ordering: .relaxed) / 2
    let waiting = number - taken.load(ordering: .acquiring)
    if waiting > filled.mask {
      if waiting >= Self.capacity, !isUnlimited.load(ordering: .relaxed) {
        return drop(number, isLast: isLast)
      }
      // One, 8, 64, and from then on twice as many each time.
      let places = filled.mask + 1
      let run = LaneRun(capacity: places * (places < Self.capacity ? 8 : 2), Value.self)
      filled.link(run, from: number)
      filled = run
    }
    (filled.places(Value.self) + (number & filled.mask)).initialize(to: value)
    keepRetainsAhead()
    arrived.store((number + 1) * 2 + (isLast ? Self.lastBit : 0), ordering: .releasing)
  }

  @usableFromInline
  func drop(_ number: Int, isLast: Bool) {
    if isLast { arrived.store(number * 2 + Self.lastBit, ordering: .releasing) }
  }

  /// Takes the value that has waited longest. There must be one.
  @inlinable
  func take<Value>(_ type: Value.Type) -> Value {
    let number = taken.load(ordering: .relaxed)
    while number == emptied.end { leaveRun() }
    let value = (emptied.places(Value.self) + (number & emptied.mask)).move()
    taken.store(number + 1, ordering: .releasing)
    return value
  }
}

/// A run of a lane's places in one piece of memory, in which numbers go round, and the link to a longer run.
///
/// `@unchecked Sendable`: the source writes `next` before `end`, and both before it counts the first value beyond.
@usableFromInline
struct LaneRun: Equatable, @unchecked Sendable {
  @usableFromInline
  struct Header: ~Copyable {
    /// How many places there are, a power of two, less one.
    @usableFromInline let mask: Int
    /// The number of the first value that is in `next`.
    @usableFromInline let end = Atomic<Int>(.max)
    @usableFromInline let next = Atomic<UnsafeMutableRawPointer?>(nil)

    @inlinable init(mask: Int) { self.mask = mask }
  }

  @usableFromInline let memory: UnsafeMutableRawPointer

  @inlinable init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  /// - Parameter extra: how many more places there are that the numbers leave out.
  @inlinable
  init<Value>(capacity: Int, and extra: Int = 0, _ type: Value.Type) {
    let offset = Self.offset(of: Value.self)
    memory = .allocate(
      byteCount: offset + (capacity + extra) * MemoryLayout<Value>.stride,
      alignment: max(MemoryLayout<Header>.alignment, MemoryLayout<Value>.alignment))
    memory.bindMemory(to: Header.self, capacity: 1).initialize(to: Header(mask: capacity - 1))
    (memory + offset).bindMemory(to: Value.self, capacity: capacity + extra)
  }

  @inlinable var header: UnsafeMutablePointer<Header> { memory.assumingMemoryBound(to: Header.self) }
  @inlinable var mask: Int { header.pointee.mask }
  @inlinable var end: Int { header.pointee.end.load(ordering: .relaxed) }

  /// The run after this one. There must be one.
  @usableFromInline var next: LaneRun { LaneRun(memory: header.pointee.next.load(ordering: .relaxed)!) }

  @usableFromInline
  func link(_ run: LaneRun, from number: Int) {
    header.pointee.next.store(run.memory, ordering: .relaxed)
    header.pointee.end.store(number, ordering: .relaxed)
  }

  /// The places begin at a multiple of the values' alignment.
  @inlinable
  static func offset<Value>(of type: Value.Type) -> Int {
    let alignment = MemoryLayout<Value>.alignment
    return (MemoryLayout<Header>.size + alignment - 1) / alignment * alignment
  }

  @inlinable
  func places<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    (memory + Self.offset(of: Value.self)).assumingMemoryBound(to: Value.self)
  }
}
