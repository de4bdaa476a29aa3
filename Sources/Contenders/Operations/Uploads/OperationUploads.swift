import UploadScenario

/// Foundation's operations: each upload an asynchronous operation, and a last one that depends on all.
public struct OperationUploads: Contender {
  public let name = "operations"
  public let summary = "OperationQueue: asynchronous operations and a last one that depends on them"

  public init() {}
}
