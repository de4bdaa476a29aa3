import Dispatch

extension DispatchQoS.QoSClass {
  /// The class of service that users of Dispatch give such work.
  public init(_ priority: PostPriority) {
    self =
      switch priority {
      case .low: .utility
      case .normal: .default
      case .high: .userInitiated
      }
  }
}
