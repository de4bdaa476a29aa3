import RuntimeSupport
import Synchronization

/// The memory of a zip for one source: its subscription and a queue of its values.
///
/// The source's signals, which never overlap, append values; the handler of the zip's mailbox takes them. With limited demand,
/// or if the source waits for demand, the zip requests at most `capacity` values ahead and drops any further ones. With
/// unlimited demand the queue grows by longer ring buffers. The first has one place, because many sources have only one value.
///
/// Not generic, because a generic type would destroy its values through slow generic code.
///
/// `@unchecked Sendable`: a reference into the memory of `Lanes`, which outlives the operator's work. The source writes a place
/// before `arrived` counts the value, and the handler takes the value before `taken` counts it. Only the source touches
/// `filled`, only the handler the other variables.
@usableFromInline struct Lane: @unchecked Sendable {
  @usableFromInline static var capacity: Int { Subscribers.Demand.batch }
  @usableFromInline static var firstCapacity: Int { 1 }
  @usableFromInline static var lastBit: Int { 1 }

  @usableFromInline let state: UnsafeMutablePointer<LaneState>

  @inlinable init(state: UnsafeMutablePointer<LaneState>) { self.state = state }

  /// Moves to the next ring buffer. The current one must be empty.
  @usableFromInline func leaveRun() {
    let empty = state.pointee.emptied
    state.pointee.emptied = empty.next
    if empty != state.pointee.first { empty.memory.deallocate() }
  }

  @usableFromInline func clear() {
    if state.pointee.upstream != nil { state.pointee.upstream = nil }
    if count > 0 { state.pointee.destroyValues(self) }
  }

  /// Destroys the contents, but does not free the memory.
  @usableFromInline func destroy() {
    clear()
    while state.pointee.emptied != state.pointee.filled { leaveRun() }
    if state.pointee.emptied != state.pointee.first { state.pointee.emptied.memory.deallocate() }
    state.deinitialize(count: 1)
  }

  @inlinable var hasFinished: Bool {
    get { state.pointee.hasFinished }
    nonmutating set { state.pointee.hasFinished = newValue }
  }

  @inlinable var count: Int {
    state.pointee.arrived.load(ordering: .acquiring) / 2 - state.pointee.taken.load(ordering: .relaxed)
  }

  /// Whether the source has finished and all its values have been taken.
  @inlinable var isUsedUp: Bool {
    let seen = state.pointee.arrived.load(ordering: .acquiring)
    return (hasFinished || seen & Self.lastBit != 0)
      && seen / 2 == state.pointee.taken.load(ordering: .relaxed)
  }

  /// Whether the source has finished, so that it sends no more values.
  @inlinable var isOver: Bool {
    hasFinished || state.pointee.arrived.load(ordering: .acquiring) & Self.lastBit != 0
  }

  /// Stores the source's subscription. If it returns false, there already is one, and the caller must cancel the new one.
  @inlinable func keep(_ subscription: any Subscription) -> Bool {
    if state.pointee.upstream != nil { return false }
    state.pointee.upstream = subscription
    state.pointee.waits = subscription.waitsForDemand
    return true
  }

  /// Requests values from the source: all if demand is unlimited, otherwise `capacity`, and more when half of those were taken.
  @inlinable func ask(_ demand: Subscribers.Demand) {
    if demand == .unlimited, !state.pointee.waits { return requestAll() }
    let lacking = demand.lacking(state.pointee.requested - state.pointee.taken.load(ordering: .relaxed))
    if lacking > 0, !isOver { request(lacking) }
  }

  @usableFromInline func request(_ count: Int) {
    guard let upstream = state.pointee.upstream else { return }
    state.pointee.requested += count
    upstream.request(.max(count))
  }

  @usableFromInline func requestAll() {
    guard state.pointee.requested != .max, !isOver, let upstream = state.pointee.upstream else { return }
    state.pointee.requested = .max
    state.pointee.isUnlimited.store(true, ordering: .relaxed)
    upstream.request(.unlimited)
  }
}

extension Lane {
  @inlinable func append<Value>(_ value: Value, isLast: Bool = false) {
    let number = state.pointee.arrived.load(ordering: .relaxed) / 2
    let waiting = number - state.pointee.taken.load(ordering: .acquiring)
    if waiting > state.pointee.filled.mask {
      if waiting >= Self.capacity, !state.pointee.isUnlimited.load(ordering: .relaxed) {
        return drop(number, isLast: isLast)
      }
      // The ring buffers have 1, 8, 64, 128, 256, … places.
      let places = state.pointee.filled.mask + 1
      let run = LaneRun(capacity: places * (places < Self.capacity ? 8 : 2), Value.self)
      state.pointee.filled.link(run, from: number)
      state.pointee.filled = run
    }
    let run = state.pointee.filled
    (run.places(Value.self) + (number & run.mask)).initialize(to: value)
    keepRetainsAhead()
    state.pointee.arrived.store((number + 1) * 2 + (isLast ? Self.lastBit : 0), ordering: .releasing)
  }

  @usableFromInline func drop(_ number: Int, isLast: Bool) {
    if isLast { state.pointee.arrived.store(number * 2 + Self.lastBit, ordering: .releasing) }
  }

  /// Takes the oldest waiting value, which must exist.
  @inlinable func take<Value>(_ type: Value.Type) -> Value {
    let number = state.pointee.taken.load(ordering: .relaxed)
    while number == state.pointee.emptied.end { leaveRun() }
    let run = state.pointee.emptied
    let value = (run.places(Value.self) + (number & run.mask)).move()
    state.pointee.taken.store(number + 1, ordering: .releasing)
    return value
  }
}

/// The first part of a lane's memory. The first ring buffer follows it.
@usableFromInline struct LaneState: ~Copyable {
  /// The number of requested values. Thread Sanitizer mistakes a change of any field for one of the first field, so the first
  /// must be one that only the handler touches.
  @usableFromInline var requested = 0
  /// Twice the number of received values, plus `lastBit` if no more will come. Only the source writes it.
  @usableFromInline let arrived = Atomic<Int>(0)
  /// The number of values that were taken. Only the mailbox's handler writes it.
  @usableFromInline let taken = Atomic<Int>(0)
  /// Set before unlimited demand is requested from the source.
  @usableFromInline let isUnlimited = Atomic<Bool>(false)
  @usableFromInline var hasFinished = false
  /// The source's ``Subscription/waitsForDemand``.
  @usableFromInline var waits = false
  @usableFromInline let first: LaneRun
  /// The ring buffer to which the source adds values. The handler takes values from `emptied`, the same or an earlier one.
  @usableFromInline var filled: LaneRun
  @usableFromInline var emptied: LaneRun
  @usableFromInline var upstream: (any Subscription)?
  @usableFromInline let destroyValues: (Lane) -> Void

  @inlinable init(first: LaneRun, destroyValues: @escaping (Lane) -> Void) {
    self.first = first
    filled = first
    emptied = first
    self.destroyValues = destroyValues
  }
}

/// The memory layout of a lane, made by code that knows the values' type.
@usableFromInline struct LanePlan {
  /// The offset of the first ring buffer, which follows the state.
  @usableFromInline let runOffset: Int
  @usableFromInline let byteCount: Int
  @usableFromInline let alignment: Int
  @usableFromInline let destroyValues: (Lane) -> Void

  @inlinable init<Value: Sendable>(of type: Value.Type) {
    alignment = max(MemoryLayout<LaneState>.alignment, LaneRun.alignment(of: Value.self))
    runOffset = (MemoryLayout<LaneState>.size + alignment - 1) / alignment * alignment
    byteCount = runOffset + LaneRun.byteCount(Lane.firstCapacity, Value.self)
    destroyValues = { lane in
      while lane.count > 0 { _ = lane.take(Value.self) }
    }
  }

  /// Creates a lane in `memory`, which must have the plan's size and alignment.
  @inlinable func make(in memory: UnsafeMutableRawPointer) {
    let first = LaneRun(memory: memory + runOffset)
    first.initialize(capacity: Lane.firstCapacity)
    memory.bindMemory(to: LaneState.self, capacity: 1).initialize(
      to: LaneState(first: first, destroyValues: destroyValues))
  }
}

/// A ring buffer of a lane's values, with a link to the next, longer ring buffer.
///
/// `@unchecked Sendable`: the source writes `next` and `end` before it counts the first value in the next buffer.
@usableFromInline struct LaneRun: Equatable, @unchecked Sendable {
  @usableFromInline struct Header: ~Copyable {
    /// The number of places, a power of two, minus one.
    @usableFromInline let mask: Int
    /// The index, among all values of the source, of the first value in `next`.
    @usableFromInline let end = Atomic<Int>(.max)
    @usableFromInline let next = Atomic<UnsafeMutableRawPointer?>(nil)

    @inlinable init(mask: Int) { self.mask = mask }
  }

  @usableFromInline let memory: UnsafeMutableRawPointer

  @inlinable init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  /// Allocates a ring buffer.
  @inlinable init<Value>(capacity: Int, _ type: Value.Type) {
    memory = .allocate(
      byteCount: Self.byteCount(capacity, Value.self), alignment: Self.alignment(of: Value.self))
    initialize(capacity: capacity)
  }

  @inlinable func initialize(capacity: Int) {
    memory.bindMemory(to: Header.self, capacity: 1).initialize(to: Header(mask: capacity - 1))
  }

  @inlinable static func byteCount<Value>(_ places: Int, _ type: Value.Type) -> Int {
    offset(of: Value.self) + places * MemoryLayout<Value>.stride
  }

  @inlinable static func alignment<Value>(of type: Value.Type) -> Int {
    max(MemoryLayout<Header>.alignment, MemoryLayout<Value>.alignment)
  }

  @inlinable var header: UnsafeMutablePointer<Header> { memory.assumingMemoryBound(to: Header.self) }
  @inlinable var mask: Int { header.pointee.mask }
  @inlinable var end: Int { header.pointee.end.load(ordering: .relaxed) }

  @usableFromInline var next: LaneRun { LaneRun(memory: header.pointee.next.load(ordering: .relaxed)!) }

  @usableFromInline func link(_ run: LaneRun, from number: Int) {
    header.pointee.next.store(run.memory, ordering: .relaxed)
    header.pointee.end.store(number, ordering: .relaxed)
  }

  /// The offset of the places in the ring buffer's memory, a multiple of the values' alignment.
  @inlinable static func offset<Value>(of type: Value.Type) -> Int {
    let alignment = MemoryLayout<Value>.alignment
    return (MemoryLayout<Header>.size + alignment - 1) / alignment * alignment
  }

  @inlinable func places<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    (memory + Self.offset(of: Value.self)).assumingMemoryBound(to: Value.self)
  }
}
