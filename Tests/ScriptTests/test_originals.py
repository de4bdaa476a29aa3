"""The programs in Examples/Originals are typed with the names of the texts that they come from; without one, they show nothing."""
import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Examples/Originals/Sources"
# What a reader of the text types, by program.
NAMES = {
    "ClosureTasks": [
        "typealias Task = ClosureTask<Void>", "extension Task {", "Task { controller in", "controller.finish()",
        "controller.fail(with: error)", ".perform(then:", "Task.sequence([", ".group(", "(Outcome) -> Void",
    ],
    "Streams": [
        "AnyPublisher<", ".mapError {", ".eraseToAnyPublisher()", "withCheckedThrowingContinuation",
        ".handleEvents(receiveCancel:", ".sink {", "receiveValue:", ".store(in: &cancellables)", "Publishers.Zip3(",
        "Publishers.ZipMany(", ".flatMap {", ".receive(on: DispatchQueue.main)", "Empty(completeImmediately: true)",
        "async let", "withThrowingTaskGroup(of:",
    ],
    "Operations": [
        "Operation", "willChangeValue(forKey:", "didChangeValue(forKey:", "override var isExecuting: Bool",
        "override var isFinished: Bool", "override func start()", "addDependency(", "maxConcurrentOperationCount",
        "completionBlock", "DispatchGroup()", "DispatchWorkItem",
    ],
}

def source(program: str) -> str:
    return "\n".join(file.read_text() for file in sorted((SOURCES / program).glob("*.swift")))


class Originals(unittest.TestCase):
    def test_every_program_uses_the_names_of_its_text(self):
        for name, typed in NAMES.items():
            for program in (f"{name}5", f"{name}6"):
                text = source(program)
                self.assertEqual([one for one in typed if one not in text], [], program)

    def test_swift_6_differs_in_annotations_only(self):
        annotations = re.compile(r"@MainActor\s+|@Sendable |final |[:,] (@unchecked )?Sendable\b|^//.*$", re.MULTILINE)
        for name in ("Streams", "Operations"):
            bare = [annotations.sub("", source(f"{name}{mode}")).split() for mode in "56"]
            self.assertEqual(*bare, name)


if __name__ == "__main__":
    unittest.main()
