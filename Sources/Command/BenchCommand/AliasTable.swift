/// What people type for a contender.
///
/// - Parameters:
///   - names: what they type; no contender is called so.
///   - contender: who is meant: the very thing, not one like it.
///   - absence: sentences that say what there is instead in a build without it; nil: every build has it.
public typealias ContenderAlias = (names: [String], contender: String, absence: String?)

/// Other names of contenders.
struct AliasTable: Sendable {
  var rows: [ContenderAlias] = []

  /// The known name that a text is, or stands for.
  func name(_ text: String, _ kind: String = "contender", among known: [String]) throws -> String {
    if known.contains(text) { return text }
    let typed = text.lowercased()
    guard let row = rows.first(where: { $0.names.contains(typed) || $0.contender == typed }) else {
      throw UsageError.unknown(kind, text, among: known)
    }
    if known.contains(row.contender) { return row.contender }
    guard let absence = row.absence else { throw UsageError.unknown(kind, row.contender, among: known) }
    throw UsageError("this build has no \(kind) “\(text)”. \(absence)")
  }

  /// The rows of those who are known, and have other names.
  func rows(of known: [String]) -> [ContenderAlias] {
    rows.filter { known.contains($0.contender) && $0.names != [$0.contender] }
  }
}
