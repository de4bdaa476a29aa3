import UploadScenario

extension FutureUploads {
  /// Other common ways to write the same.
  public static let variants: [any Contender] = [Promises(), AsyncValue()]
}
