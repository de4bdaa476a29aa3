import Dispatch

/// What a contender is to those who use it.
public struct Idiom: Sendable, Equatable {
  /// Who has to be trusted, and added to a project, for it.
  public enum Shipper: String, Sendable, CaseIterable {
    /// It comes with Swift, or is made of nothing but what does.
    case toolchain
    /// One of this package's libraries.
    case package = "this package"
    /// A package of somebody else.
    case thirdParty = "third party"
  }

  /// Its name among the contenders; variants share it up to their slash.
  public let contender: String
  /// What its users call it, in at most 14 letters.
  public let name: String
  /// Who ships it.
  public let shipper: Shipper
  /// What it does for each upload of a `publish`, as a clause without its subject; nil: nobody has said.
  public let perUpload: String?

  /// That of a contender, by the name its users know, who ships it, and what it does for each upload.
  public init(_ contender: String, _ name: String, _ shipper: Shipper, perUpload: String? = nil) {
    (self.contender, self.name, self.shipper, self.perUpload) = (contender, name, shipper, perUpload)
  }
}

extension [Idiom] {
  /// That of a contender or a variant; nil if nobody has said.
  public func of(_ contender: String) -> Idiom? {
    first { idiom in
      contender == idiom.contender || ["/", "@"].contains { contender.hasPrefix(idiom.contender + $0) }
    }
  }
}

/// Where what follows an answer runs. To be compared, contenders must be in the same context: to get there is most of the cost.
public enum CompletionContext: String, Sendable, Hashable, Codable, CaseIterable {
  /// On the thread that answers, before the service goes on.
  case inline
  /// One at a time, on a serial queue, actor or executor that outlives the job.
  case queue
  /// On any thread of a pool.
  case pool

  /// A line for `bench list`.
  public var summary: String {
    switch self {
    case .inline: "on the thread that answers"
    case .queue: "one at a time, on a serial queue or executor"
    case .pool: "on any thread of a pool"
    }
  }

  /// What a contender is called here: its own name where its users are by default, else with `@` and this.
  public func name(of contender: String, usually usual: Self?) -> String {
    self == usual ? contender : "\(contender)@\(rawValue)"
  }

  /// A queue that has completions there, made anew; nil where that is the answering thread.
  public func makeQueue(label: String) -> DispatchQueue? {
    switch self {
    case .inline: nil
    case .queue: DispatchQueue(label: label, target: .global())
    case .pool: DispatchQueue(label: label, attributes: .concurrent)
    }
  }
}
