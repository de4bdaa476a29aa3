import Results
import TestSupport
import Testing

@Suite(.ownThread) struct ResultsErrorTests {
  @Test(arguments: [
    (
      ResultsError.cannotWrite(path: "/r", reason: "No space left on device"),
      "cannot write /r: No space left on device. Choose another place with --output, or make room there."
    ),
    (
      .cannotWrite(path: "/r", reason: "Permission denied", option: "--record"),
      "cannot write /r: Permission denied. Choose another place with --record, or see to it that this one can be written."
    ),
    (
      .exists(path: "results/a", option: "--name"),
      "results/a exists already and is not overwritten. Choose another --name, or remove it."
    ),
    (
      .exists(path: "/dev/null", option: "--record"),
      "/dev/null exists already and is not overwritten. Choose another --record."
    ),
    (
      .malformed(path: "s.csv", line: 3, column: "wall_ns", problem: "is -5", advice: "Correct it."),
      "s.csv:3: column wall_ns is -5. Correct it."
    ),
    (
      .noRun(path: "x"),
      "x holds no recorded run (no samples.csv there). Give a folder that `bench run` wrote, such as results/latest."
    ),
    (
      .loadRun(path: "x"),
      "x is a run of `bench load`: it has windows of load (load.csv), not samples. Give a folder that `bench run` wrote; `bench report` prints what this one says."
    ),
  ])
  func `an error says what happened, where and what to do`(error: ResultsError, text: String) {
    #expect(error.description == text)
  }
}
