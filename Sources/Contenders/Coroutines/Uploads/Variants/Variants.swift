import UploadScenario

extension CoroutineUploads {
  /// Other spellings of coroutines that are as common.
  public static let variants: [any Contender] = [
    FutureCoroutineUploads(), ChannelCoroutineUploads(), SerialQueueCoroutineUploads(),
  ]
}
