import CProbes

/// Uses a value as far as the optimiser can tell, so that what computes it stays.
///
/// What a body returns is used already: for what it does not return.
@inline(never)
public func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { machine_look_at($0) }
}
