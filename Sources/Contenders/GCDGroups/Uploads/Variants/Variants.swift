import UploadScenario

extension GCDGroupUploads {
  /// Other common spellings.
  public static let variants: [any Contender] = [
    WorkItemUploads(), SemaphoreUploads(), WaitUploads(),
  ]
}
