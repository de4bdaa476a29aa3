#if SwiftCoroutine
  import UploadScenario

  /// SwiftCoroutine: a coroutine that starts futures and awaits each in turn.
  public struct SwiftCoroutineUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "swift-coroutine"
    public let summary = "SwiftCoroutine: a future per upload, awaited one by one in a stackful coroutine"

    public init() {}
  }
#endif
