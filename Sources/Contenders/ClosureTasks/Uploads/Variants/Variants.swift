import UploadScenario

extension ClosureTaskUploads {
  /// Other common ways to write the same.
  public static let variants: [any Contender] = [OnQueue()]
}
