/// What was done in a counting pass; nil: that cannot be counted here.
public struct Counts: Codable, Sendable, Hashable {
  /// Calls of the allocator that gave memory, on the threads that are counted.
  public var allocations: Int?
  /// What was asked for in those calls, not what the allocator made of it.
  public var allocatedBytes: Int?
  /// Swift objects on the heap; each is an allocation, too.
  public var objects: Int?
  /// Retains of Swift objects.
  public var retains: Int?
  /// Releases of Swift objects, those that free one included.
  public var releases: Int?

  /// Nothing is known, unless it is given.
  public init(
    allocations: Int? = nil, allocatedBytes: Int? = nil, objects: Int? = nil, retains: Int? = nil,
    releases: Int? = nil
  ) {
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.objects = objects
    self.retains = retains
    self.releases = releases
  }
}
