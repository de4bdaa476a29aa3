#if PromiseKit
  import UploadScenario

  /// PromiseKit: one promise per upload, fulfilled when all are, then the next promise.
  public struct PromiseKitUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "promise-kit"
    public let summary = "PromiseKit: one promise per upload, when(fulfilled:), then the next"

    public init() {}
  }
#endif
