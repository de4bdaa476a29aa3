/// Nouns with the ending that their number asks for.
public enum Plural {
  /// Such as `1 cell`, `2 passes`.
  public static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(of(noun, count))" }

  /// Such as `cell` of one, and `cells` of any other number.
  public static func of(_ noun: String, _ count: Int) -> String {
    count == 1 ? noun : noun + (noun.hasSuffix("s") ? "es" : "s")
  }
}
