#if OpenCombine || canImport(Combine)
  import UploadScenario

  /// OpenCombine, or Apple's Combine where there is one and the trait is off: uploads are futures, flattened as they
  /// arrive, collected and put in order.
  public struct OpenCombineUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    #if OpenCombine
      public let name = "open-combine"
      public let summary = "OpenCombine: futures flattened by flatMap, collected and sorted"
    #else
      public let name = "combine"
      public let summary = "Apple's Combine: futures flattened by flatMap, collected and sorted"
    #endif

    public init() {}
  }
#endif
