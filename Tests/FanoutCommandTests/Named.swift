import UploadScenario

/// A contender in name only.
struct Named: PartialContender {
  let name: String
  let summary = "a name"
  let patterns: [Pattern]

  init(_ name: String, _ patterns: [Pattern] = Pattern.allCases) {
    self.name = name
    self.patterns = patterns
  }
}
