import CProbes

/// Work that is done on top in counting passes, to see that it is found.
public struct PlantedWork: Sendable, Hashable {
  /// Each is freed again.
  public var allocations: Int
  /// Each is released again.
  public var retains: Int
  /// Each is an allocation more, and is released again.
  public var objects: Int

  /// The size of each allocation that is planted.
  public static let bytesPerAllocation = 16

  /// How much per upload; nothing, unless it is given.
  public init(allocations: Int = 0, retains: Int = 0, objects: Int = 0) {
    self.allocations = allocations
    self.retains = retains
    self.objects = objects
  }

  func perform(times: Int = 1) {
    counters_plant_allocations(UInt64(allocations * times), Self.bytesPerAllocation)
    counters_plant_retains(Self.empty, UInt64(retains * times))
    counters_plant_objects(Self.empty, UInt64(objects * times))
  }

  private final class Empty {}

  // Invariant: written once, by whoever asks first; what it points to is never freed and has nothing to write to.
  nonisolated(unsafe) private static let empty = Unmanaged.passRetained(Empty()).toOpaque()
}
