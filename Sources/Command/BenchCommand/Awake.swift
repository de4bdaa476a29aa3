import Harness

/// `--awake`: processors are kept from sleeping while something is measured.
enum Awake {
  static let option = Option(
    "--awake", nil,
    "keep processors from sleeping meanwhile: hand-overs between threads cost half (Linux, as root)")

  /// The request, for whoever measures to end; nil if nobody asked for it.
  ///
  /// - Throws: `UsageError` where it is refused: what was asked for in words is not left out in silence.
  static func request(_ isAsked: Bool, path: String = LatencyRequest.path) throws -> LatencyRequest? {
    guard isAsked else { return nil }
    do throws(LatencyRequest.Refused) { return try LatencyRequest(path: path) } catch {
      throw UsageError("--awake cannot be had here: \(error). Nothing was measured.")
    }
  }
}
