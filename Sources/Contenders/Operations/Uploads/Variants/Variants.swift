import UploadScenario

extension OperationUploads {
  /// Other common spellings.
  public static let variants: [any Contender] = [BlockingMainUploads()]
}
