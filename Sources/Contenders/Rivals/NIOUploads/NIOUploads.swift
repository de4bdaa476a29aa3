#if NIO
  import UploadScenario

  /// NIO: one promise per upload on an event loop, all of them succeed, then the next future.
  public struct NIOUploads: Contender {
    public let name = "nio"
    public let summary = "SwiftNIO: one promise per upload on an event loop, whenAllSucceed, then flatMap"

    public init() {}
  }
#endif
