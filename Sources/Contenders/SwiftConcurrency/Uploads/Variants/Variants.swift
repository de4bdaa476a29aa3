import UploadScenario

extension SwiftConcurrencyUploads {
  /// Other spellings of async/await that are as common.
  public static let variants: [any Contender] = [
    TaskGroupUploads(), BoundedTaskUploads(), DiscardingTaskUploads(), UnsafeContinuationUploads(),
    AsyncLetUploads(), AsyncStreamUploads(),
  ]
}
