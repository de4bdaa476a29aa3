import RuntimeSupport
import Synchronization

/// A run of slots with stable addresses, one node of a fan-in's list.
///
/// Inner publishers hold their segment, and through it the fan-in: threads that start inner publishers and those that end them
/// would contend for one reference count of all.
///
/// `@unchecked Sendable`: the outer publisher's thread fills slots in order and links the next segment; the fan-in's gate owns
/// `previous`, `settled` and removal, which spares the last segment of the list.
@usableFromInline final class FanInSegment<Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline typealias Slot = FanInSlot<Downstream>

  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let capacity: Int
  /// Slots whose inner publisher has ended and was accounted for.
  @usableFromInline @exclusivity(unchecked) var settled = 0
  /// Whether no slot holds a subscription or a value, so that there is nothing to destroy.
  @usableFromInline @exclusivity(unchecked) var isEmpty = false
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) var previous: FanInSegment?
  /// The next segment, retained.
  @usableFromInline let following = Atomic<UnsafeRawPointer?>(nil)

  /// As many slots as 1000 bytes hold: for a larger request glibc sorts its recently freed memory.
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
    // One by one: nested deinits would need a stack as deep as the list is long.
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

/// The place of one inner publisher in a fan-in: a word that any thread may touch, and the content that they pass on.
///
/// The two have pointers of their own: an atomic must not lie inside a struct that others modify. The word has, above the bits,
/// the address of the latest letter with a waiting value: in one word, so that a thread that sees the end sees every value
/// before it.
///
/// `@unchecked Sendable`: the inner publisher's thread writes `subscription` before it sets `subscribed`, `value` before
/// `holding`; everything else is touched only inside the fan-in's gate. The memory is the segment's.
@usableFromInline struct FanInSlot<Downstream: Subscriber>: Equatable, @unchecked Sendable {
  @usableFromInline static var subscribed: UInt { 1 }
  /// A value waits. An inner publisher with a request for one sends no more until it is taken.
  @usableFromInline static var holding: UInt { 2 }
  @usableFromInline static var finished: UInt { 4 }
  /// The slot is in the list of slots with news.
  @usableFromInline static var listed: UInt { 8 }
  @usableFromInline static var cancelled: UInt { 16 }
  /// The rest of the word: an address, which is a multiple of 32.
  @usableFromInline static var letters: UInt { ~31 }

  /// A value that waits behind the first one.
  @usableFromInline struct Letter {
    @usableFromInline let value: Downstream.Input
    /// The one before.
    @usableFromInline var previous: UnsafeMutableRawPointer?

    @inlinable init(value: Downstream.Input) { self.value = value }
  }

  /// The state of the inner publisher.
  @usableFromInline struct Content {
    @usableFromInline var subscription: (any Subscription)?
    @usableFromInline var value: Downstream.Input?
    /// The next slot with news.
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

  /// The next slot of the same segment.
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

  /// Clears the bits if the word has not changed since. Returns whether it had not.
  @inlinable func clear(_ bits: UInt, from seen: UInt) -> Bool {
    word.pointee.compareExchange(expected: seen, desired: seen & ~bits, ordering: .acquiringAndReleasing)
      .exchanged
  }

  @inlinable var isSubscribed: Bool {
    word.pointee.load(ordering: .sequentiallyConsistent) & Self.subscribed != 0
  }

  /// Records the subscription; a thread that requests everything from all inner publishers sees it, or is seen.
  @inlinable func subscribe() -> UInt {
    word.pointee.bitwiseOr(Self.subscribed, ordering: .sequentiallyConsistent).oldValue
  }

  /// Keeps a value behind those that wait. Only the inner publisher's thread calls it.
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

  /// Passes on the values of a word's letters, earliest first, and frees the letters.
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

/// Reports to the fan-in from one inner publisher. It holds the segment of its slot.
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
