/// What a contender is to those who use it.
public struct Idiom: Sendable, Equatable {
  /// Who has to be trusted, and added to a project, for it.
  public enum Shipper: String, Sendable, CaseIterable {
    /// It comes with Swift, or is made of nothing but what does.
    case toolchain
    /// One of this package's libraries.
    case package = "this package"
    /// The shapes that articles teach.
    case textbook
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
      contender == idiom.contender || contender.hasPrefix(idiom.contender + "/")
    }
  }
}
