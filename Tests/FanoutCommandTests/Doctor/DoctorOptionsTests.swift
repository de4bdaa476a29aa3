import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct DoctorOptionsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c")], variants: [Named("c/x")])

  @Test(
    arguments: [
      ([], ["a", "c"]), (["--contenders", "b"], ["b"]), (["--contenders", "a,b,c/x"], ["a", "b", "c/x"]),
    ] as [([String], [String])])
  func `the first and last contender are examined unless some are named`(arguments: [String], names: [String])
    throws
  {
    #expect(try DoctorOptions(arguments, CheckSubjects(uploads: known)).contenders == names)
  }

  @Test func `contenders without the checked patterns are not examined`() throws {
    #expect(try DoctorOptions([], CheckSubjects(uploads: ContenderList([Named("a")]))).contenders == ["a"])
    let known = ContenderList([Named("a", [.zip]), Named("b"), Named("c"), Named("d"), Named("e", [.race])])
    #expect(try DoctorOptions([], CheckSubjects(uploads: known)).contenders == ["b", "d"])
    #expect(
      try DoctorOptions(["--contenders", "a,c"], CheckSubjects(uploads: known)).contenders == ["c"])
    let error = #expect(throws: UsageError.self) {
      try DoctorOptions(["--contenders", "a,e"], CheckSubjects(uploads: known))
    }
    #expect(
      error?.description
        == "none of a, e writes what a check measures: publish-instant-100, publish-instant-1000.")
  }

  @Test func `the doctor takes 18 seconds and measures CPU time by default`() throws {
    let options = try DoctorOptions([], CheckSubjects(uploads: known))
    #expect(options.budgetNanoseconds == 18_000_000_000)
    #expect(options.measure == .cost)
    #expect(options.format.name == "text")
  }

  @Test(
    arguments: Refusal.table(
      """
      --format github => unknown format “github”. Known: text, markdown, json.
      --measure walls => unknown measure “walls”. Did you mean wall?
      --contenders zebra => unknown contender “zebra”. Known: a, b, c, c/x.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try DoctorOptions($0, CheckSubjects(uploads: known)) }
  }
}
