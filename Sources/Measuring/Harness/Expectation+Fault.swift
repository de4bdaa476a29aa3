import Results
import UploadScenario

extension Expectation {
  /// Why a post that ended so cannot be measured; nil if it kept what is promised.
  func fault(
    of result: Result<Publication, any Error>, _ record: LedgerRecord, completions: Int
  ) -> (outcome: Outcome, reason: String)? {
    let differences = differences(result: result, record: record)
    if completions != 1 {
      return (.wrong, "completion: called \(completions) times, expected once")
    } else if case .failure(let error) = result, ending == .publication {
      return (.failed, "ended with an error: \(error)")
    }
    let others = differences.count > 1 ? " (and \(differences.count - 1) more)" : ""
    return differences.first.map { (.wrong, "\($0)\(others)") }
  }
}
