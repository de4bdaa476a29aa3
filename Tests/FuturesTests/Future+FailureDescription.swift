import Futures

extension Future {
  /// The error of a future that has failed.
  var failureDescription: String? {
    if case .failure(let error) = result { "\(error)" } else { nil }
  }
}
