import RuntimeSupport
import Synchronization

/// An array of slots: the memory of a `FanIn` for several inner publishers, one in each slot. Segments form a linked list.
///
/// Inner publishers retain their segment, which retains the `FanIn`. If they retained the `FanIn` itself, all threads that
/// start or end inner publishers would contend for one reference count.
///
/// `@unchecked Sendable`: the outer publisher's thread fills slots in order and links the next segment. Only the thread inside
/// the gate of the `FanIn` touches `previous` and `settled` and removes segments, but never the last one.
@usableFromInline final class FanInSegment<Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline typealias Slot = FanInSlot<Downstream>

  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let capacity: Int
  /// The number of slots whose inner publisher has ended and has no waiting value.
  @usableFromInline @exclusivity(unchecked) var settled = 0
  /// Whether no slot holds a subscription or a value, so that `deinit` need not destroy any.
  @usableFromInline @exclusivity(unchecked) var isEmpty = false
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) var previous: FanInSegment?
  /// The next segment, which this segment retains.
  @usableFromInline let following = Atomic<UnsafeRawPointer?>(nil)

  /// The number of slots that fit into 1000 bytes. Before a larger allocation, glibc would sort its recently freed memory.
  @inlinable static var largestCapacity: Int { max(4, 1000 / Slot.stride) }

  @inlinable init(_ fanIn: FanIn<Downstream>, capacity: Int) {
    self.fanIn = fanIn
    self.capacity = capacity
    memory = .allocate(byteCount: capacity * Slot.stride, alignment: Slot.contentOffset)
    for index in 0..<capacity { self[index].initialize(segment: self) }
  }

  @inlinable deinit {
    if !isEmpty {
      for index in 0..<capacity {
        self[index].takeLetters(of: self[index].load()) { _ in }
        self[index].content.deinitialize(count: 1)
      }
    }
    memory.deallocate()
    // A loop, because nested deinits of a long list would overflow the stack.
    var rest = detachFollowing()
    while let segment = rest { rest = segment.detachFollowing() }
  }

  @inlinable subscript(index: Int) -> Slot { Slot(memory + index * Slot.stride) }

  @inlinable var next: FanInSegment? {
    following.load(ordering: .sequentiallyConsistent).map {
      Unmanaged<FanInSegment>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @inlinable func link(_ segment: FanInSegment) {
    segment.previous = self
    let reference = Unmanaged.passRetained(segment).toOpaque()
    keepRetainsAhead()
    following.store(reference, ordering: .sequentiallyConsistent)
  }

  @inlinable func detachFollowing() -> FanInSegment? {
    following.exchange(nil, ordering: .acquiringAndReleasing).map {
      Unmanaged<FanInSegment>.fromOpaque($0).takeRetainedValue()
    }
  }
}

/// The memory of a `FanIn` for one inner publisher: an atomic word that any thread may change, and the content.
///
/// The word and the content have separate pointers, because an atomic must not lie inside a struct that other threads modify.
/// The word combines flag bits and the address of a linked list of waiting values. So a thread that sees the flag of the end
/// also sees every value before the end.
///
/// `@unchecked Sendable`: the inner publisher's thread writes `subscription` before it sets `subscribed`, and `value` before it
/// sets `holding`. Only the thread inside the gate of the `FanIn` touches the rest. The segment owns the memory.
@usableFromInline struct FanInSlot<Downstream: Subscriber>: Equatable, @unchecked Sendable {
  @usableFromInline static var subscribed: UInt { 1 }
  /// Set when `value` contains a waiting value. An inner publisher with a request for one value then sends no more.
  @usableFromInline static var holding: UInt { 2 }
  @usableFromInline static var finished: UInt { 4 }
  /// Set when the slot is in the list of slots whose inner publishers have sent or ended.
  @usableFromInline static var listed: UInt { 8 }
  @usableFromInline static var cancelled: UInt { 16 }
  /// The bits of the atomic word that contain the address of the latest waiting value's list node, a multiple of 32.
  @usableFromInline static var letters: UInt { ~31 }

  /// A node of the linked list of an inner publisher's values that wait behind its first waiting value.
  @usableFromInline struct Letter {
    @usableFromInline let value: Downstream.Input
    /// The list node of the value that arrived before this one.
    @usableFromInline var previous: UnsafeMutableRawPointer?

    @inlinable init(value: Downstream.Input) { self.value = value }
  }

  @usableFromInline struct Content {
    @usableFromInline var subscription: (any Subscription)?
    @usableFromInline var value: Downstream.Input?
    /// The next slot in the list of slots whose inner publishers have sent or ended.
    @usableFromInline var next: FanInSlot?
    @usableFromInline unowned(unsafe) let segment: FanInSegment<Downstream>

    @inlinable init(segment: FanInSegment<Downstream>) { self.segment = segment }
  }

  @inlinable static var contentOffset: Int { max(MemoryLayout<Int>.size, MemoryLayout<Content>.alignment) }
  @inlinable static var stride: Int {
    (contentOffset + MemoryLayout<Content>.size + contentOffset - 1) / contentOffset * contentOffset
  }

  @usableFromInline let address: UnsafeMutableRawPointer

  @inlinable init(_ address: UnsafeMutableRawPointer) { self.address = address }

  /// The slot behind this one in the same segment, an array of slots.
  @inlinable var following: FanInSlot { FanInSlot(address + Self.stride) }

  @inlinable func initialize(segment: FanInSegment<Downstream>) {
    address.bindMemory(to: Atomic<UInt>.self, capacity: 1).initialize(to: Atomic(0))
    (address + Self.contentOffset).initializeMemory(as: Content.self, to: Content(segment: segment))
  }

  @inlinable var word: UnsafeMutablePointer<Atomic<UInt>> {
    address.assumingMemoryBound(to: Atomic<UInt>.self)
  }

  @inlinable var content: UnsafeMutablePointer<Content> {
    (address + Self.contentOffset).assumingMemoryBound(to: Content.self)
  }

  @inlinable func load() -> UInt { word.pointee.load(ordering: .acquiring) }

  @inlinable
  func set(_ bits: UInt) -> UInt { word.pointee.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue }

  @inlinable func clear(_ bits: UInt) -> UInt {
    word.pointee.bitwiseAnd(~bits, ordering: .acquiringAndReleasing).oldValue
  }

  /// Clears the bits if the atomic word still equals `seen`. Returns whether the bits were cleared.
  @inlinable func clear(_ bits: UInt, from seen: UInt) -> Bool {
    word.pointee.compareExchange(expected: seen, desired: seen & ~bits, ordering: .acquiringAndReleasing)
      .exchanged
  }

  @inlinable var isSubscribed: Bool {
    word.pointee.load(ordering: .sequentiallyConsistent) & Self.subscribed != 0
  }

  /// Sets the bit `subscribed`. If another thread sets the flag `unlimited`, it sees this bit, or this thread sees that flag.
  @inlinable func subscribe() -> UInt {
    word.pointee.bitwiseOr(Self.subscribed, ordering: .sequentiallyConsistent).oldValue
  }

  /// Appends a value to the list of waiting values. Only the inner publisher's thread calls this.
  @inlinable @inline(never) func push(_ value: Downstream.Input) {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Letter>.size, alignment: max(32, MemoryLayout<Letter>.alignment))
    let letter = memory.bindMemory(to: Letter.self, capacity: 1)
    letter.initialize(to: Letter(value: value))
    _ = word.pointee.change {
      letter.pointee.previous = UnsafeMutableRawPointer(bitPattern: $0 & Self.letters)
      return $0 & ~Self.letters | UInt(bitPattern: memory)
    }
  }

  /// Passes the values in the list to which `word` points to the closure, earliest first, and frees the list's nodes.
  @inlinable @inline(never) func takeLetters(of word: UInt, _ body: (Downstream.Input) -> Void) {
    var values: [Downstream.Input] = []
    var rest = UnsafeMutableRawPointer(bitPattern: word & Self.letters)
    while let memory = rest {
      let letter = memory.assumingMemoryBound(to: Letter.self).move()
      memory.deallocate()
      values.append(letter.value)
      rest = letter.previous
    }
    for value in values.reversed() { body(value) }
  }
}

/// The subscriber of one inner publisher, which passes signals to the `FanIn`.
@usableFromInline struct FanInInner<Downstream: Subscriber>: Subscriber {
  @usableFromInline let segment: FanInSegment<Downstream>
  @usableFromInline let slot: FanInSlot<Downstream>

  @inlinable init(segment: FanInSegment<Downstream>, slot: FanInSlot<Downstream>) {
    self.segment = segment
    self.slot = slot
  }

  @inlinable func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand {
    if slot.load() & FanInSlot<Downstream>.subscribed != 0 {
      subscription.cancel()
      return .none
    }
    let waits = subscription.waitsForDemand
    slot.content.pointee.subscription = consume subscription
    if slot.subscribe() & FanInSlot<Downstream>.cancelled == 0 {
      return segment.fanIn.asksForAll && !waits ? .unlimited : .max(1)
    }
    slot.content.pointee.subscription.take()?.cancel()
    return .none
  }
  @inlinable func receive(subscription: any Subscription) {
    let demand = receive(starting: subscription)
    if demand > .none { subscription.request(demand) }
  }
  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    segment.fanIn.receive(input, from: slot)
  }
  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if let error = completion.error { segment.fanIn.fail(error) } else { segment.fanIn.finish(slot) }
  }
  @inlinable func receive(last input: Downstream.Input) { segment.fanIn.receive(last: input, from: slot) }
}
