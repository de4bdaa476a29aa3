import Testing

@testable import BenchCommand

@Suite struct PreparationTests {
  @Test(arguments: [0, 12, 255]) func tooFewDescriptorsAreSaidBeforeAnythingIsStarted(descriptors: Int) {
    let error = #expect(throws: FileProblem.self) { try Preparation.begin(descriptors: descriptors) }
    #expect(error?.description.hasPrefix("only \(descriptors) files may be open at once") == true)
    #expect(error?.description.contains("`ulimit -n 256`") == true)
  }
}
