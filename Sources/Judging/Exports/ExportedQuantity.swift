import Results

/// What the formats that take several quantities tell of a sample, per post: time first.
struct ExportedQuantity: Sendable {
  let name: String
  let unit: String
  /// Whether it is a count that may be the same in every sample.
  var isCount = false
  let value: @Sendable (Sample) -> Double?

  static let all: [ExportedQuantity] = [
    ExportedQuantity(name: "time", unit: "ns/op") { $0.wallNanoseconds.map(Double.init) },
    ExportedQuantity(name: "processor-time", unit: "cpu-ns/op") { $0.cpuNanoseconds },
    ExportedQuantity(name: "allocations", unit: "allocs/op", isCount: true) { $0.perPost($0.allocations) },
    ExportedQuantity(name: "allocated-bytes", unit: "B/op", isCount: true) {
      $0.perPost($0.allocatedBytes)
    },
    ExportedQuantity(name: "retains", unit: "retains/op", isCount: true) { $0.perPost($0.retains) },
    ExportedQuantity(name: "context-switches", unit: "ctxsw/op") { $0.switches },
  ]
}
