/// One thing that the doctor looked at.
public struct Finding: Sendable, Hashable, Encodable {
  /// The worst comes first.
  public enum Severity: String, Sendable, Hashable, Encodable, CaseIterable {
    /// It makes checks wrong, slow or impossible.
    case problem
    /// It costs precision, or something that one may want.
    case note
    case ok
  }

  public let severity: Severity
  /// What was looked at, such as `clock`.
  public let subject: String
  /// What was seen; nil: the machine does not show it.
  public let seen: String?
  /// What to do about it; nil: nothing needs to be done.
  public let advice: String?

  /// Nothing needs to be done, or nothing is visible.
  static func ok(_ subject: String, _ seen: String?) -> Finding {
    Finding(severity: .ok, subject: subject, seen: seen, advice: nil)
  }

  static func note(_ subject: String, _ seen: String, _ advice: String) -> Finding {
    Finding(severity: .note, subject: subject, seen: seen, advice: advice)
  }

  static func problem(_ subject: String, _ seen: String, _ advice: String) -> Finding {
    Finding(severity: .problem, subject: subject, seen: seen, advice: advice)
  }

  private init(severity: Severity, subject: String, seen: String?, advice: String?) {
    self.severity = severity
    self.subject = subject
    self.seen = seen
    self.advice = advice
  }
}
