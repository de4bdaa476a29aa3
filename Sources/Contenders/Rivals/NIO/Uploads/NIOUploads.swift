#if NIO
  import UploadScenario

  /// NIO: one promise per upload on an event loop, all of them succeed, then the next future.
  public struct NIOUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "nio"
    public let summary = "SwiftNIO: one promise per upload on an event loop, whenAllSucceed, then flatMap"

    public init() {}
  }
#endif
