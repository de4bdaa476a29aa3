import Foundation
import UploadServices

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPFailure {
  /// What a task's error comes down to.
  ///
  /// On Linux most errors have the code `unknown`, and only libcurl's text says more: of a secure connection a word of
  /// certificates or of OpenSSL's routines means that it was never trusted. Headers without end are "too large", and one that
  /// is longer than libcurl has room for leaves it "out of memory"; everything else is a connection that broke.
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
      self.init(text: reason, isSecure: isSecure)
    }
  }

  private init(text: String, isSecure: Bool) {
    let lowered = text.lowercased()
    // A secure connection that is cut off speaks of SSL, too, but of an end.
    let isDistrust =
      lowered.contains("certificate") || lowered.contains("ssl routines") && !lowered.contains("eof")
    if isSecure, isDistrust {
      self = .untrusted(reason: text)
    } else if lowered == "out of memory" {
      self = .tooLong(reason: "a header line of more than 100 kB")
    } else if lowered.contains("too large") {
      self = .tooLong(reason: text)
    } else {
      self = .broken(reason: text)
    }
  }
}
