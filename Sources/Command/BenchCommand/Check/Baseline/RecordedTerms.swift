import Analysis
import Results

/// The options that say what of two recorded runs is compared.
enum RecordedTerms {
  /// Smaller changes of a recorded time a shared machine does not decide (Documentation/Method.md).
  static let usualMargin = 0.25

  static let options = [
    Option("--margin", "SHARE", "the smallest change that matters (25%)"),
    Option("--contenders", "A,B", "only these, by name or glob (all that both runs have)"),
    Option("--scenario", "A,B", "only these scenarios, by name or glob (all that both runs have)"),
    Option("--reference", "NAME", "contender that ratios are taken through (the base's own reference)"),
  ]

  /// - Parameter runs: those whose names are known: the base, and the candidate if it has been recorded.
  static func terms(_ options: Options, runs: [RecordedRun]) throws -> RecordedComparison.Terms {
    let contenders = runs.flatMap(\.contenders)
    let reference = options.text("--reference")
    if let reference, !contenders.contains(reference) {
      throw UsageError.unknown("contender", reference, among: contenders.unique())
    }
    return RecordedComparison.Terms(
      margin: try options.margin("--margin") ?? usualMargin, reference: reference,
      contenders: try chosen("--contenders", "contender", options, among: contenders.unique()),
      scenarios: try chosen("--scenario", "scenario", options, among: runs.flatMap(\.scenarios).unique()))
  }

  /// What a list of names and globs stands for; nil without the option.
  static func chosen(_ name: String, _ kind: String, _ options: Options, among known: [String]) throws
    -> Set<String>?
  {
    try options.list(name).map { texts in
      Set(
        try texts.flatMap { text in
          let glob = Glob(text)
          let matches = known.filter(glob.matches)
          if matches.isEmpty { throw UsageError.unknown(kind, text, among: known) }
          return matches
        })
    }
  }
}
