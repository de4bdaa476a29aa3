import UploadScenario

extension ReactiveStreamUploads {
  /// Other common ways to write the same.
  public static let variants: [any Contender] = [ZipMany(), FlatMap(), Sink(), AsyncAwait()]
}
