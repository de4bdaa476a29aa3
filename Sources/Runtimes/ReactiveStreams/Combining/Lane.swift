import RuntimeSupport
import Synchronization

/// One source of a zip: the subscription to the source, and a queue of its values that wait for those of the other sources.
///
/// Signals append values to the queue, and the thread that handles the zip's events takes them. With limited demand, or if the
/// source waits for demand, the queue drops values beyond the `capacity` that the zip requests ahead. With unlimited demand the
/// queue grows by longer ring buffers. The first holds one value, because many sources send only one.
///
/// Not generic, because a generic type would destroy its values through slow generic code.
///
/// `@unchecked Sendable`: a pointer into memory that the `ZipRun` owns. The source writes a value before `arrived` counts the
/// value, and the handling thread takes a value before `taken` counts it. Only the source touches `filled`, and only the
/// handling thread touches the other variables.
@usableFromInline struct Lane: @unchecked Sendable {
  @usableFromInline static var capacity: Int { Subscribers.Demand.batch }
  @usableFromInline static var firstCapacity: Int { 1 }
  @usableFromInline static var lastBit: Int { 1 }

  @usableFromInline let state: UnsafeMutablePointer<LaneState>

  @inlinable init(state: UnsafeMutablePointer<LaneState>) { self.state = state }

  /// Frees the ring buffer from which values are taken, which must be empty, and continues with the next one.
  @usableFromInline func leaveRun() {
    let empty = state.pointee.emptied
    state.pointee.emptied = empty.next
    if empty != state.pointee.first { empty.memory.deallocate() }
  }

  @usableFromInline func clear() {
    if state.pointee.upstream != nil { state.pointee.upstream = nil }
    if count > 0 { state.pointee.destroyValues(self) }
  }

  /// Destroys the waiting values and the subscription of this source, but does not free the memory of the `LaneState`.
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

  /// Stores the source's subscription. Returns false if one is already stored; the caller must then cancel the new one.
  @inlinable func keep(_ subscription: any Subscription) -> Bool {
    if state.pointee.upstream != nil { return false }
    state.pointee.upstream = subscription
    state.pointee.waits = subscription.waitsForDemand
    return true
  }

  /// Requests all values if demand is unlimited and the source does not wait for demand; otherwise up to `capacity` ahead.
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
      // Successive ring buffers have room for 1, 8, 64, 128, 256, … values.
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

  /// Removes and returns the oldest waiting value. The queue must not be empty.
  @inlinable func take<Value>(_ type: Value.Type) -> Value {
    let number = state.pointee.taken.load(ordering: .relaxed)
    while number == state.pointee.emptied.end { leaveRun() }
    let run = state.pointee.emptied
    let value = (run.places(Value.self) + (number & run.mask)).move()
    state.pointee.taken.store(number + 1, ordering: .releasing)
    return value
  }
}

/// The state of a lane (the queue for one source of a zip). In memory, the lane's first ring buffer follows it.
@usableFromInline struct LaneState: ~Copyable {
  /// The number of requested values. Thread Sanitizer reports a change of any field as a change of the first one, so the first
  /// field must be one that only one thread touches.
  @usableFromInline var requested = 0
  /// Twice the number of received values, plus `lastBit` if the source sends no more. Only the source writes this field.
  @usableFromInline let arrived = Atomic<Int>(0)
  /// The number of values taken from the queue. Only the thread that handles the zip's events writes this field.
  @usableFromInline let taken = Atomic<Int>(0)
  /// Set before unlimited demand is requested from the source.
  @usableFromInline let isUnlimited = Atomic<Bool>(false)
  @usableFromInline var hasFinished = false
  /// The source's ``Subscription/waitsForDemand``.
  @usableFromInline var waits = false
  @usableFromInline let first: LaneRun
  /// The ring buffer to which the source adds values. Values are taken from `emptied`, which is the same or an earlier one.
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

/// The memory layout of a lane (the queue for one source of a zip), computed where the values' type is known.
@usableFromInline struct LanePlan {
  /// The offset of the lane's first ring buffer, which follows the `LaneState` in memory.
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

  /// Creates a lane in `memory`, which must have this layout's `byteCount` and `alignment`.
  @inlinable func make(in memory: UnsafeMutableRawPointer) {
    let first = LaneRun(memory: memory + runOffset)
    first.initialize(capacity: Lane.firstCapacity)
    memory.bindMemory(to: LaneState.self, capacity: 1).initialize(
      to: LaneState(first: first, destroyValues: destroyValues))
  }
}

/// A ring buffer with values from one source of a zip. A full ring buffer is linked to a longer one.
///
/// `@unchecked Sendable`: the source writes `next` and `end` before it counts the first value in the next buffer.
@usableFromInline struct LaneRun: Equatable, @unchecked Sendable {
  @usableFromInline struct Header: ~Copyable {
    /// The capacity, which is a power of two, minus one.
    @usableFromInline let mask: Int
    /// The index of the first value that is stored in `next`, counted over all values of the source.
    @usableFromInline let end = Atomic<Int>(.max)
    @usableFromInline let next = Atomic<UnsafeMutableRawPointer?>(nil)

    @inlinable init(mask: Int) { self.mask = mask }
  }

  @usableFromInline let memory: UnsafeMutableRawPointer

  @inlinable init(memory: UnsafeMutableRawPointer) { self.memory = memory }

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

  /// The offset of the first value in the ring buffer's memory, a multiple of the values' alignment.
  @inlinable static func offset<Value>(of type: Value.Type) -> Int {
    let alignment = MemoryLayout<Value>.alignment
    return (MemoryLayout<Header>.size + alignment - 1) / alignment * alignment
  }

  @inlinable func places<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    (memory + Self.offset(of: Value.self)).assumingMemoryBound(to: Value.self)
  }
}
