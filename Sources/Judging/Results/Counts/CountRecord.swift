/// What one cell counts on one kind of machine: one row of a counts file.
public struct CountRecord: Sendable, Hashable {
  public var key: CountKey
  public var contender: String
  public var scenario: String
  /// All per post; nil: it could not be counted.
  public var allocations: CommittedCount?
  public var allocatedBytes: CommittedCount?
  public var objects: CommittedCount?
  public var retains: CommittedCount?

  public init(key: CountKey, contender: String, scenario: String) {
    self.key = key
    self.contender = contender
    self.scenario = scenario
  }

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
    Column(
      "toolchain", \.key.toolchain, unit: "name", "The Swift toolchain that built the worker.",
      check: RecordName.check),
    Column(
      "system", \.key.system, unit: "name", "The operating system and its version.", check: RecordName.check),
    Column("architecture", \.key.architecture, unit: "name", "The processor's.", check: RecordName.check),
    Column(
      "turns", \.key.turns, unit: "name",
      "How the worker's threads took turns: `real-time` = on one processor, each until it waits; `batch` = on one processor; `free` = as ever.",
      check: RecordName.check),
    Column("contender", \.contender, unit: "name", "Whose implementation ran.", check: RecordName.check),
    Column("scenario", \.scenario, unit: "name", "The scenario's name.", check: RecordName.check),
    Column(
      "allocations", \.allocations, unit: "count or range",
      "Heap allocations of one post, the same in every one; `45..47` = not the same: what 16 processes counted in their cheapest posts lies in that range."
    ),
    Column("allocated_bytes", \.allocatedBytes, unit: "bytes or range", "Bytes of those allocations."),
    Column(
      "objects", \.objects, unit: "count or range",
      "Swift objects allocated; each is one of `allocations`, too."),
    Column(
      "retains", \.retains, unit: "count or range", "Reference counts raised through the Swift runtime."),
  ]

  public static var firstColumnCount: Int { columns.count }

  public static let blank = CountRecord(
    key: CountKey(toolchain: "", system: "", architecture: "", turns: ""), contender: "", scenario: "")

  public static var remedy: String {
    "move the file away and write the counts anew with `check --counters FILE --update`"
  }

  public static let option = "--counters"

  public func validate() throws(FieldProblem) {}
}
