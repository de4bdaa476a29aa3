/// What counts depend on besides the code: they are compared only where all of it is the same.
public struct CountKey: Sendable, Hashable {
  /// Such as `swift-6.3.1-RELEASE`.
  public var toolchain: String
  /// Such as `debian-12`.
  public var system: String
  public var architecture: String
  /// How the threads of a worker took turns, such as `real-time`.
  public var turns: String

  public init(toolchain: String = "", system: String = "", architecture: String = "", turns: String = "") {
    self.toolchain = toolchain
    self.system = system
    self.architecture = architecture
    self.turns = turns
  }
}

extension CountKey: CustomStringConvertible {
  public var description: String { "\(toolchain) on \(system), \(architecture), \(turns) turns" }
}

/// What is counted of an iteration.
public enum CountedQuantity: String, Sendable, CaseIterable {
  case allocations
  case allocatedBytes = "allocated bytes"
  /// Swift objects on the heap.
  case objects
  /// Reference counts raised.
  case retains

  /// For people.
  /// - Parameter iteration: what one is called, such as `post`.
  public func name(per iteration: String) -> String { "\(rawValue) per \(iteration)" }

  /// In the whole sample.
  public func count(of sample: Sample) -> Int? {
    switch self {
    case .allocations: sample.allocations
    case .allocatedBytes: sample.allocatedBytes
    case .objects: sample.objects
    case .retains: sample.retains
    }
  }
}

/// What one cell counts on one kind of machine: one row of a counts file.
public struct CountRecord: Sendable, Equatable {
  public var key = CountKey()
  public var contender = ""
  public var scenario = ""
  /// All per iteration; nil: it could not be counted.
  public var allocations: CommittedCount?
  public var allocatedBytes: CommittedCount?
  public var objects: CommittedCount?
  public var retains: CommittedCount?

  public init() {}

  public subscript(quantity: CountedQuantity) -> CommittedCount? {
    get { self[keyPath: Self.path(quantity)] }
    set { self[keyPath: Self.path(quantity)] = newValue }
  }

  private static func path(_ quantity: CountedQuantity) -> WritableKeyPath<CountRecord, CommittedCount?> {
    switch quantity {
    case .allocations: \.allocations
    case .allocatedBytes: \.allocatedBytes
    case .objects: \.objects
    case .retains: \.retains
    }
  }
}

extension CountRecord: CSVRecord {
  public static let columns: [Column<CountRecord>] = [
    Column("toolchain", \.key.toolchain, unit: "name", "The Swift toolchain that built the worker."),
    Column("system", \.key.system, unit: "name", "The operating system and its version."),
    Column("architecture", \.key.architecture, unit: "name", "The processor's."),
    Column(
      "turns", \.key.turns, unit: "name",
      "How the worker's threads took turns: `real-time` = on one processor, each until it waits; `batch` = on one processor; `free` = as ever."
    ),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column(
      "allocations", \.allocations, unit: "count or range",
      "Heap allocations of one iteration (a post, or a call of a benchmark), the same in every one; `45..47` = not the same: what 16 processes counted in their cheapest iterations lies in that range."
    ),
    Column("allocated_bytes", \.allocatedBytes, unit: "bytes or range", "Bytes of those allocations."),
    Column(
      "objects", \.objects, unit: "count or range",
      "Swift objects allocated; each is one of `allocations`, too."),
    Column(
      "retains", \.retains, unit: "count or range",
      "Reference counts raised through the Swift runtime."),
  ]

  public static var remedy: String {
    "move the file away and write the counts anew with `check --counters FILE --update`"
  }

  public static let option = "--counters"
}
