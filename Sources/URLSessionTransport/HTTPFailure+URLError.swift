import Foundation
import UploadServices

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPFailure {
  /// What a task's error comes down to.
  ///
  /// On Linux most errors have the code `unknown`, and only libcurl's text says more: of a secure connection a word of
  /// certificates or TLS means that it was never trusted, and headers without end are "too large"; everything else is a
  /// connection that broke.
  init(_ error: any Error, isSecure: Bool) {
    let reason = Transfers.printable(error.localizedDescription)
    switch (error as? URLError)?.code {
    case .cancelled: self = .cancelled
    case .timedOut: self = .timedOut
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
      self = .unreachable(reason: reason)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self = .untrusted(reason: reason)
    case .dataLengthExceedsMaximum: self = .tooLong(reason: reason)
    default:
      let text = reason.lowercased()
      if isSecure, ["certificate", "ssl", "tls"].contains(where: text.contains) {
        self = .untrusted(reason: reason)
      } else if text.contains("too large") {
        self = .tooLong(reason: reason)
      } else {
        self = .broken(reason: reason)
      }
    }
  }
}
