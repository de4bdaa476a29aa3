/// What was done in a counting pass; nil: that cannot be counted here.
public struct Counts: Codable, Sendable, Hashable {
  public var allocations: Int?
  public var allocatedBytes: Int?
  /// Swift objects on the heap; each is an allocation, too.
  public var objects: Int?
  public var retains: Int?
  public var releases: Int?

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
