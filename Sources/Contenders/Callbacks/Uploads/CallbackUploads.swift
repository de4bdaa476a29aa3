import UploadScenario

/// The floor: hand-written callbacks and atomic counters, the least work that keeps every promise.
public struct CallbackUploads: Contender {
  public let name = "callbacks"
  public let summary = "hand-written callbacks and atomic counters: the floor"

  public init() {}
}
