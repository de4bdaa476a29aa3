/// What counts depend on besides the code: they are compared only where all of it is the same.
public struct CountKey: Sendable, Hashable {
  /// Such as `swift-6.3.1-RELEASE`.
  public var toolchain: String
  /// Such as `debian-12`.
  public var system: String
  public var architecture: String
  /// How the threads of a worker took turns, such as `real-time`.
  public var turns: String

  public init(toolchain: String, system: String, architecture: String, turns: String) {
    self.toolchain = toolchain
    self.system = system
    self.architecture = architecture
    self.turns = turns
  }
}

extension CountKey: CustomStringConvertible {
  public var description: String { "\(toolchain) on \(system), \(architecture), \(turns) turns" }
}
