import UploadScenario

/// A way in which a job may end.
package struct Ending: Sendable {
  package let kind: Expectation.Ending
  /// The index of the upload, chunk or lookup that failed.
  let unit: Int?
  let error: (any Error)?
  let errorKind: UInt64

  private init(_ kind: Expectation.Ending, _ error: (any Error)?, unit: Int? = nil) {
    (self.kind, self.error, self.unit, errorKind) = (kind, error, unit, StateHash.kind(of: error))
  }

  static let published = Ending(.publication, nil)
  static let cancelled = Ending(.cancellation, CancellationError())
  static let deadline = Ending(.deadline, DeadlineExceeded())
  /// The ending after a failure of an upload, chunk or lookup. If `unit` is `nil`, the creation of the post failed.
  static func failed(_ unit: Int?, _ error: any Error) -> Ending { Ending(.failure, error, unit: unit) }

  /// What the completion must receive.
  var name: String { error.map { "the error “\($0)”" } ?? "a publication" }

  /// The event that ends the job.
  var cause: String {
    switch kind {
    case .publication: "the completion"
    case .failure: "the failure “\(error!)”"
    case .cancellation: "the cancellation"
    case .deadline: "the deadline"
    }
  }

  var startRule: Promise {
    switch kind {
    case .publication: .everyUpload
    case .cancellation: .cancellationStops
    case .failure, .deadline: .noStartAfterFailure
    }
  }

  func matches(_ result: Result<Publication, any Error>) -> Bool {
    switch (error, result) {
    case (nil, .success): true
    case (_?, .failure(let seen)) where kind == .cancellation: seen is CancellationError
    case (let promised?, .failure(let seen)):
      // `UploadFailure` is equatable. Other errors are compared by type and description.
      (promised as? UploadFailure).map { $0 == seen as? UploadFailure } ?? false
        || type(of: promised) == type(of: seen) && String(reflecting: promised) == String(reflecting: seen)
    default: false
    }
  }
}

extension Result where Success == Publication, Failure == any Error {
  var text: String {
    switch self {
    case .success(let publication): "a publication of \(publication.receipts.count) receipts"
    case .failure(let error): "the error “\(error)”"
    }
  }
}

/// A broken requirement: what the contender did, and what it should have done.
package struct Breach: Error, Sendable {
  package let rule: Promise
  let seen: String
  let promised: String
  /// The number of consecutive runs that must show the breach: 6 if a busy machine may cause it, else 1.
  let sightings: Int

  package init(_ rule: Promise, seen: String, promised: String, mayBeTheMachine: Bool = false) {
    (self.rule, self.seen, self.promised, sightings) = (rule, seen, promised, mayBeTheMachine ? 6 : 1)
  }

  package var text: String { "seen \(seen), required \(promised)" }
}
