import UploadScenario

/// The floor: hand-written callbacks and one atomic counter, the least work that keeps every promise.
public struct CallbackUploads: PartialContender {
  public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
  public let name = "callbacks"
  public let summary = "hand-written callbacks and one atomic counter: the floor"

  public init() {}
}
