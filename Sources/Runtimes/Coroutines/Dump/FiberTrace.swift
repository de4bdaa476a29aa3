import CContextSwitch
import Synchronization

/// What others may ask a fiber at any moment, written by plain stores as it goes.
struct FiberTrace: ~Copyable {
  // Relaxed: what is read together is checked against the gate, see `FiberPointer.snapshot`.
  let isLive = Atomic<Bool>(false)
  private let subject = Atomic<UInt>(0)
  private let file = Atomic<UInt>(0)
  private let line = Atomic<UInt>(0)

  var site: AwaitSite {
    get {
      AwaitSite(
        subject: UnsafePointer(bitPattern: subject.load(ordering: .relaxed)),
        file: UnsafePointer(bitPattern: file.load(ordering: .relaxed)), line: line.load(ordering: .relaxed))
    }
    nonmutating set {
      subject.store(UInt(bitPattern: newValue.subject), ordering: .relaxed)
      file.store(UInt(bitPattern: newValue.file), ordering: .relaxed)
      line.store(newValue.line, ordering: .relaxed)
    }
  }
}

extension FiberPointer {
  /// Before it is started.
  func setName(_ name: String) {
    let bytes = name.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    bytes.withUnsafeBufferPointer { copy.initialize(from: $0.baseAddress!, count: $0.count) }
    FiberRegistry.withLock { _ in pointee.details.name = UnsafePointer(copy) }
  }

  func dropName() {
    let name = UnsafeMutablePointer<CChar>(mutating: pointee.details.name)
    FiberRegistry.withLock { _ in pointee.details.name = nil }
    name?.deallocate()
  }

  /// What it is doing; nil if it runs nothing. Under the registry's lock.
  func snapshot() -> CoroutineSnapshot? {
    // A suspension's site is written before its gate opens: if the gate has not moved meanwhile, they belong together.
    var gate = pointee.gate.load(ordering: .acquiring)
    var site = pointee.trace.site
    while true {
      atomicMemoryFence(ordering: .acquiring)
      let again = pointee.gate.load(ordering: .relaxed)
      if again == gate { break }
      gate = pointee.gate.load(ordering: .acquiring)
      site = pointee.trace.site
    }
    guard pointee.trace.isLive.load(ordering: .relaxed) else { return nil }
    let phase = gate & Gate.phaseMask
    let isSuspended = phase == Gate.prepared || phase == Gate.suspended
    return CoroutineSnapshot(
      name: pointee.details.name.map { String(cString: $0) },
      state: isSuspended ? .suspended(CoroutineSnapshot.Wait(site)) : .running)
  }
}
