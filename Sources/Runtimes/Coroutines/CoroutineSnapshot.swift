import CContextSwitch
import Synchronization

/// What a live coroutine was doing at one moment.
public struct CoroutineSnapshot: Sendable, Hashable, CustomStringConvertible {
  /// What a suspended coroutine waits for.
  public struct Wait: Sendable, Hashable {
    /// In words: "a future", "a completion"; nil if what it waits for does not say.
    public let subject: String?
    /// The call that waits, as `Module/File.swift`.
    public let file: String?
    /// 0 if the file is nil.
    public let line: Int

    init(_ site: AwaitSite) {
      subject = site.subject.map { String(cString: $0) }
      file = site.file.map { String(cString: $0) }
      line = Int(site.line)
    }
  }

  /// Whether it waits, and for what.
  public enum State: Sendable, Hashable {
    /// It runs, or is ready to.
    case running
    /// It waits, and holds no thread.
    case suspended(Wait)
  }

  /// As it was started with.
  public let name: String?
  /// At the moment at which it was looked at.
  public let state: State

  public var description: String {
    let name = name ?? "(unnamed)"
    switch state {
    case .running: return "\(name): running"
    case .suspended(let wait):
      let place = wait.file.map { " at \($0):\(wait.line)" } ?? ""
      return "\(name): waits for \(wait.subject ?? "something")\(place)"
    }
  }
}

extension Coroutine {
  /// The coroutines that have begun to run and not finished, in no order; any thread.
  ///
  /// Each is seen at a moment of its own; one that starts or ends meanwhile may be missing. It takes time for every stack
  /// there ever was, and named coroutines that start or end wait until it is done.
  public static var live: [CoroutineSnapshot] {
    FiberRegistry.withLock { slabs in
      slabs.flatMap { slab in (0..<slab.count).compactMap { slab[$0].snapshot() } }
    }
  }

  /// A line for each live coroutine: its name, and what it waits for and where. The same lines are counted, not repeated.
  public static func dump() -> String {
    Dictionary(grouping: live, by: \.description).sorted { $0.key < $1.key }
      .map { $0.value.count == 1 ? $0.key : "\($0.key) (\($0.value.count) coroutines)" }
      .joined(separator: "\n")
  }
}

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
    var (gate, site): (UInt64, AwaitSite)
    repeat {
      gate = pointee.gate.load(ordering: .acquiring)
      site = pointee.trace.site
      atomicMemoryFence(ordering: .acquiring)
    } while pointee.gate.load(ordering: .relaxed) != gate
    guard pointee.trace.isLive.load(ordering: .relaxed) else { return nil }
    let phase = gate & Gate.phaseMask
    let isSuspended = phase == Gate.prepared || phase == Gate.suspended
    return CoroutineSnapshot(
      name: pointee.details.name.map { String(cString: $0) },
      state: isSuspended ? .suspended(CoroutineSnapshot.Wait(site)) : .running)
  }
}

/// All fibers there are, free ones too: their memory is never given back, so it can be looked at at any moment.
enum FiberRegistry {
  // Invariant: `slabs` is touched, and a fiber's name read by others or changed, only under the lock. Not `Mutex`, whose
  // locking Thread Sanitizer does not see here.
  private static let lock = CoLock()
  nonisolated(unsafe) private static var slabs: [FiberSlab] = []

  static func withLock<Result>(_ body: (inout [FiberSlab]) -> Result) -> Result {
    lock.withLock { body(&slabs) }
  }
}

/// Fibers beside each other, each on cache lines of its own.
struct FiberSlab: @unchecked Sendable {
  // Invariant: never given back.
  private let base: UnsafeMutableRawPointer
  let count: Int

  private static let cacheLine = 64
  private static let stride = (MemoryLayout<Fiber>.size + cacheLine - 1) / cacheLine * cacheLine

  init(_ stacks: [Stack]) {
    count = stacks.count
    base = .allocate(byteCount: count * Self.stride, alignment: Self.cacheLine)
    for (index, stack) in stacks.enumerated() {
      let fiber = self[index]
      fiber.initialize(to: Fiber(stack: stack))
      fiber.linkDetails()
    }
  }

  subscript(index: Int) -> FiberPointer {
    (base + index * Self.stride).assumingMemoryBound(to: Fiber.self)
  }
}
