import UploadScenario

/// How a job must end, as the script has it.
enum Ending {
  case published
  /// With this error, of this upload, chunk or lookup; nil: of none of them.
  case failed(Int?, any Error)
  case cancelled
  case deadline

  var name: String {
    switch self {
    case .published: "a publication"
    case .failed(_, let error): "\(error)"
    case .cancelled: "CancellationError"
    case .deadline: "DeadlineExceeded"
    }
  }

  /// The rule that any other end breaks, unless the script is about a more special one.
  var rule: Rule {
    switch self {
    case .published: .publication
    case .failed: .firstFailure
    case .cancelled: .cancellation
    case .deadline: .deadline
    }
  }

  /// Whether nothing but the job itself can bring it about.
  var isStop: Bool {
    switch self {
    case .cancelled, .deadline: true
    case .published, .failed: false
    }
  }

  func matches(_ result: Result<Publication, any Error>) -> Bool {
    switch (self, result) {
    case (.published, .success), (.cancelled, .failure(is CancellationError)),
      (.deadline, .failure(is DeadlineExceeded)):
      true
    case (.failed(_, let promised), .failure(let seen)):
      // Errors are not equatable; their types and texts are.
      type(of: promised) == type(of: seen) && String(reflecting: promised) == String(reflecting: seen)
    default: false
    }
  }

  var expectation: Expectation.Ending {
    switch self {
    case .published: .publication
    case .failed: .failure
    case .cancelled: .cancellation
    case .deadline: .deadline
    }
  }

  var failing: Set<Int> {
    if case .failed(let unit?, _) = self { [unit] } else { [] }
  }
}
