import Results
import TestSupport
import Testing

@Suite(.ownThread) struct RecordNameTests {
  @Test(arguments: ["callbacks", "gcd-groups", "publish-1000/k=4", "a", "v1.2_x:y+z"])
  func `everyday names pass`(name: String) throws { try RecordName.check(name) }

  @Test(arguments: [
    "", "-a", "=a", "a b", "a,b", "a\"b", "a\n", "ü", ".a", String(repeating: "a", count: 101),
  ])
  func `names that break scripts are refused`(name: String) {
    #expect(throws: FieldProblem.self) { try RecordName.check(name) }
  }

  @Test(arguments: ["latest", "a/b", "..", "", "a:b"])
  func `a run's name must be a folder's name`(name: String) {
    #expect(throws: FieldProblem.self) { try RecordName.checkRun(name) }
  }
}
