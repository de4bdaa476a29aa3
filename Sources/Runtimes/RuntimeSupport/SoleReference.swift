import Synchronization

extension Unmanaged where Instance: AnyObject {
  /// What the object's header says of references to it: strong ones, unowned ones, and whether weak ones ever were.
  ///
  /// Only compared with another object's. Invariant: on 64-bit platforms a Swift object begins with its type and this word,
  /// which the runtime changes atomically.
  fileprivate var referenceWord: UInt {
    (toOpaque() + MemoryLayout<UInt>.size).assumingMemoryBound(to: Atomic<UInt>.self).pointee
      .load(ordering: .acquiring)
  }

  /// Whether nobody but the owner of this strong reference can reach the object, by a weak or unowned reference neither, so
  /// that it may become something else. Never true by mistake: what is not sure counts as shared.
  public var isSole: Bool {
    guard referenceWord == Fresh.word else { return false }
    var address = toOpaque()
    // Looked at in place: a strong variable of our own would be a second reference. Without this, equal words would mean
    // nothing if the fresh object had had a second one.
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: Instance.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}

/// What an object is like that has just been made.
private final class Fresh {
  static let word: UInt = {
    let fresh = make()
    defer { fresh.release() }
    return fresh.referenceWord
  }()

  /// Not inlined: an object that is on a stack has another word.
  @inline(never) private static func make() -> Unmanaged<Fresh> { .passRetained(Fresh()) }
}
