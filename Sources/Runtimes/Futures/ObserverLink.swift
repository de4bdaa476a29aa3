/// A place in the list of those who wait for a future, newest first.
///
/// It refers to a node, which the list retains and which has the link to the next older one; or to a receiver,
/// which stands at the end of the list, has no link of its own and is not retained (it keeps itself alive as
/// long as its sources refer to it); or to nothing.
@frozen @usableFromInline
struct ObserverLink: Sendable {
  @usableFromInline var bits: UInt

  @usableFromInline static let receiverMark: UInt = 1
  @usableFromInline static var end: ObserverLink { ObserverLink(bits: 0) }

  @inlinable
  init(bits: UInt) { self.bits = bits }

  @inlinable
  init(receiver: AnyFuture) {
    bits = Unmanaged.passUnretained(receiver).address | Self.receiverMark
  }

  @inlinable var isEnd: Bool { bits == 0 }
  @inlinable var isReceiver: Bool { bits & Self.receiverMark != 0 }
  @inlinable var isNode: Bool { bits != 0 && !isReceiver }
  /// Whom it refers to. Not for the end.
  @inlinable var target: Unmanaged<AnyFuture> { .at(bits & ~Self.receiverMark) }
}

extension Unmanaged where Instance == AnyFuture {
  @inlinable
  static func at(_ address: UInt) -> Self { .fromOpaque(UnsafeRawPointer(bitPattern: address)!) }

  @inlinable
  var address: UInt { UInt(bitPattern: toOpaque()) }

  /// Whether this reference is the only strong one. Only for the owner of the reference.
  @usableFromInline
  var isUnique: Bool {
    var address = toOpaque()
    // Looked at in place: a strong variable of our own would be a second reference.
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: AnyFuture.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
