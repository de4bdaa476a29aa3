"""The programs in Examples/Originals use the names of the texts that they come from, and the names in
Documentation/ComingFrom.md exist."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Documentation/ComingFrom.md"
SOURCES = ROOT / "Examples/Originals/Sources"
# The names that a reader of the text types, by program.
NAMES = {
    "Coroutines": [
        "DispatchQueue.main.startCoroutine {", "URLSession.shared.dataTaskFuture(for:", "Future.await().data",
        "DispatchQueue.global().await {", "try Coroutine.await { callback in", "completionHandler: callback)",
        ": CoroutineScheduler {", "func scheduleTask(_ task: @escaping", "store.await {", "-> CoFuture<Int> {", "CoPromise<Int>()",
        "promise.success(", "return promise", ".coroutineFuture {", "try Coroutine.delay(", "CoFuture { try futures.reduce(0)",
        "CoChannel<Int>(capacity: 1)", "try channel.awaitSend(", "channel.close()", "in channel.makeIterator() {", "CoScope()",
        ".added(to: scope)", "startCoroutine(in: scope) {",
    ],
    "ClosureTasks": [
        "typealias Task = ClosureTask<Void>", "extension Task {", "return Task { controller in", "controller.finish()",
        "controller.fail(with: error)", ".perform(then:", ".perform(on:", "Task.group(", "Task.sequence([", ".group(", "(Outcome) -> Void",
        "case .success:", "case .failure(let error):",
    ],
    "Streams": [
        "AnyPublisher<", ".mapError {", ".eraseToAnyPublisher()", "withCheckedThrowingContinuation", "withTaskCancellationHandler",
        ".handleEvents(receiveCancel:", ".sink {", "receiveValue:", ".store(in: &cancellables)", "Publishers.Zip3(",
        "Publishers.ZipMany(", ".flatMap {", ".receive(on: DispatchQueue.main)", "Empty(completeImmediately: true)",
        "async let", "withThrowingTaskGroup(of:",
    ],
    "Operations": [
        ": Foundation.Operation", "willChangeValue(forKey:", "didChangeValue(forKey:", "override var isAsynchronous: Bool",
        "override var isExecuting: Bool", "override var isFinished: Bool", "override func start()", "override func main()",
        "addDependency(", "OperationQueue()", "maxConcurrentOperationCount = ", "addOperation(", "completionBlock = ",
        "DispatchGroup()", "DispatchWorkItem",
    ],
}

# Names on the page that our libraries do not declare: Swift's, Foundation's, and a reader's own.
OTHERS = {
    "as", "async", "await", "Bool", "class", "error", "func", "import", "in", "Int", "item", "for", "let", "Never", "override",
    "next", "return", "true", "try", "typealias", "var", "Void", "unchecked", "Sendable", "escaping",
    "DispatchQueue", "global", "main", "RunLoop", "URLSession", "shared", "Operation", "isAsynchronous", "seconds",
    "MainActor", "assumeIsolated",
    "callback", "cancellables", "channel", "cleanup", "controller", "future", "group", "post", "promise", "promises",
    "publisher", "publishers", "queue", "resolver", "Step", "task", "Task", "tasks", "index",
}
DECLARED = re.compile(
    r"\b(?:func|var|let|class|struct|enum|protocol|typealias|case|actor)\s+`?(\w+)|[(,]\s*(\w+)(?:\s+\w+)?:", re.ASCII)


def source(program: str) -> str:
    return "\n".join(file.read_text() for file in sorted((SOURCES / program).glob("*.swift")))


def public_names(modules: list[str]) -> set[str]:
    """Names and labels of public declarations of modules of Sources/Runtimes; a declaration may take several lines."""
    names = set()
    for file in (file for module in modules for file in sorted((ROOT / "Sources/Runtimes" / module).rglob("*.swift"))):
        text = re.sub(r"//.*", "", file.read_text())
        for match in re.finditer(r"\bpublic\b[^{}=]*|^  (?:func|case) [^{}=\n]*", text, re.MULTILINE):
            names.update(name for groups in DECLARED.findall(match.group()) for name in groups if name)
    return names


def sections() -> list[tuple[list[str], list[str]]]:
    """For each section of the page with a table: the modules to import, and the code of the table's second column."""
    found = []
    for section in PAGE.read_text().split("\n## ")[1:]:
        imported = [name for name in re.findall(r"`import (\w+)`", section) if (ROOT / "Sources/Runtimes" / name).is_dir()]
        rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
        found.append((imported, [code for row in rows for code in re.findall(r"`([^`]+)`", row[1])]))
    return found


class OriginalsTests(unittest.TestCase):
    def test_every_program_uses_the_names_of_its_text(self):
        for name, typed in NAMES.items():
            for program in (f"{name}5", f"{name}6"):
                text = source(program)
                self.assertEqual([one for one in typed if one not in text], [], program)

    def test_every_program_has_expected_names(self):
        self.assertEqual({folder.name for folder in SOURCES.iterdir()}, {name + mode for name in NAMES for mode in "56"})

    def test_swift_6_differs_in_annotations_only(self):
        annotations = re.compile(
            r"@MainActor\s+(?:in\b)?|@Sendable |\bfinal |[:,] (?:@unchecked )?Sendable\b|//.*$", re.MULTILINE)
        for name in NAMES:
            five, six = (annotations.sub("", source(f"{name}{mode}")).split() for mode in "56")
            self.assertEqual(five, six, name)

    def test_the_page_names_what_is_declared(self):
        self.assertEqual(len(sections()), 4)
        for modules, spans in sections():
            self.assertGreater(len(spans), 0)
            known = public_names(modules) | OTHERS
            unknown = {span: names for span in spans
                       if (names := [name for name in re.findall(r"[A-Za-z_]\w+", span) if name not in known])}
            self.assertEqual(unknown, {}, modules)


if __name__ == "__main__":
    unittest.main()
