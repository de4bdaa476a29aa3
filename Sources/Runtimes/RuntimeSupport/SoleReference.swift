import Synchronization

extension Unmanaged where Instance: AnyObject {
  /// What the object's header says of references to it: strong ones, unowned ones, and whether weak ones ever were.
  ///
  /// Only compared with another reading. Invariant: on 64-bit platforms a Swift object begins with its type and this word,
  /// which the runtime changes atomically.
  @inlinable
  public var referenceWord: UInt {
    (toOpaque() + MemoryLayout<UInt>.size).assumingMemoryBound(to: Atomic<UInt>.self).pointee
      .load(ordering: .acquiring)
  }

  /// Whether nobody but the owner of this strong reference can reach the object, by a weak or unowned reference neither, so
  /// that it may become something else. Never true by mistake: what is not sure counts as shared.
  ///
  /// - Parameter fresh: its `referenceWord` when only its maker knew it.
  @inlinable
  public func isSole(since fresh: UInt) -> Bool {
    guard referenceWord == fresh else { return false }
    var address = toOpaque()
    // Looked at in place: a strong variable of our own would be a second reference. With more than one when it was fresh,
    // equal words would mean nothing.
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: Instance.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
