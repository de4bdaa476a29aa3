"""Scripts/check-words on folders that are made up; one problem of each kind is planted."""
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts/check-words"
LONG = " ".join(["word"] * 26)


def check(files, *subjects, since="start"):
    """The exit code and what was printed, in a repository with these files and, after its first commit, these subjects."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"Scripts/check-words.allowed": "", "plot.py": "", **files}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        commit = [*git, "commit", "--quiet", "--allow-empty", "-m"]
        for command in [[*commit, "First"], [*git, "tag", "start"], *([*commit, subject] for subject in subjects)]:
            subprocess.run(command, check=True)
        done = subprocess.run([SCRIPT, folder, "--since", since], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class WordsTests(unittest.TestCase):
    def test_words_of_comments_and_strings_are_found_where_they_stand(self):
        for name, text, line in [
            ("Sources/A/A.swift", "let a = 1\n/// The caller is\n/// told of it.\n", "2: is told: /// The caller is /// told of it."),
            ("Sources/A/A.swift", 'let a = "a\\(b) nobody"\n', '1: nobody: let a = "a\\(b) nobody"'),
            ("Sources/A/A.swift", 'let a = """\n  for ever\n  """\n', "2: for ever: for ever"),
            ("Sources/A/include/a.h", "int a; /* Whom\n it is */\n", "1: Whom: int a; /* Whom"),
            ("Scripts/a", "#!/usr/bin/env python3\na = 'it is let go'\n", "2: is let go: a = 'it is let go'"),
            ("Scripts/a", "#!/bin/bash\n# mended\n", "2: mended: # mended"),
            ("Examples/A/Sources/a.swift", "// dearer\n", "1: dearer: // dearer"),
            ("plots/a.py", "a = 1  # whoever\n", "1: whoever: a = 1  # whoever"),
            ("Documentation/A.md", "| who |\n", "1: who: | who |"),
        ]:
            with self.subTest(text=text):
                self.assertEqual(check({name: text}), (1, f"{name}:{line}\n"))

    def test_names_in_code_are_none(self):
        swift = 'let who = nobody(whom: 1)  // The caller is\nlet told = "\\(who)"\n'
        self.assertEqual(check({"Sources/A/A.swift": swift, "plots/a.py": "who = 'a'\n"}), (0, ""))

    def test_a_sentence_of_more_than_25_words_is_found_on_a_page(self):
        for text, line in [(f"# Page\n\nShort.\n{LONG}\nend.\n", 4), (f"A list:\n\n- one\n- {LONG}\n", 4)]:
            for page in ["README.md", "Documentation/A.md", "Sources/A/A.docc/A.md"]:
                with self.subTest(text=text, page=page):
                    code, said = check({page: text})
                    self.assertEqual((code, said.split(" words: ")[0]), (1, f"{page}:{line}: {26 + ('end' in text)}"))

    def test_code_tables_headings_links_and_comments_are_no_sentences(self):
        page = (f"# {LONG}\n\n```text\n{LONG}\n```\n\n    {LONG}\n\n<!-- {LONG}\n{LONG} -->\n| {LONG} |\n"
                f"Half of it: {LONG[:60]}. And `{LONG}` and [a link]({LONG}).\n")
        self.assertEqual(check({"README.md": page, "Examples/A/README.md": LONG}), (0, ""))

    def test_a_subject_of_more_than_72_characters_is_found(self):
        code, said = check({}, "S" * 73)
        self.assertEqual((code, said.split(" ", 1)[1]), (1, f"73 characters: {'S' * 73}\n"))
        self.assertEqual(check({}, "S" * 72), (0, ""))
        self.assertEqual(check({}, "S" * 73, since="HEAD"), (0, ""))
        self.assertEqual(
            check({}, since="0123abc"), (0, "skipped: subjects of commits, as 0123abc is not in the history of this clone\n"))

    def test_an_allowance_needs_a_reason_and_something_to_allow(self):
        allowed = "Scripts/check-words.allowed"
        files = {"README.md": "A reader who asks.\n"}
        self.assertEqual(check(files | {allowed: "README.md\treader who\tpeople\n"}), (0, ""))
        for text in ["README.md\treader who\n", "README.md\twriter who\tpeople\n", "OTHER.md\treader who\tpeople\n"]:
            with self.subTest(text=text):
                code, said = check(files | {allowed: text})
                self.assertEqual(code, 1)
                self.assertIn(f"{allowed}:1: allows nothing, or gives no reason: ", said)
        code, said = check(files | {allowed: "README.md\treader who\tpeople\n" * 41})
        self.assertEqual((code, said), (1, f"{allowed}:41: there may be 40 lines\n"))


if __name__ == "__main__":
    unittest.main()
