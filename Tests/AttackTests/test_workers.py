"""A hostile worker: `bench check --against EXECUTABLE` starts any executable."""
import unittest

from victim import BENCH, AttackTest, Victim

# What each does instead of answering; most read their request first.
WORKERS = {
    "garbage": "read line; head -c 300 /dev/urandom; echo",
    "escape codes": r"read line; printf '\033]0;title\007\033[2J\n'",
    "half a line": "read line; printf '{\"outcome\":'; exec sleep 1000",
    "no line": "exec sleep 1000",
    "an endless line": "read line; cat /dev/zero",
    "endless lines": "read line; exec yes",
    "a closed pipe": "exec 1>&-; exec sleep 1000",
    "an end": "exit 0",
    "an end in the middle": "read line; kill -9 $$",
    "children that stay": "read line; sleep 1000 & sleep 1000 & exit 0",
    "children that hold the pipe": "(sleep 1000) & read line; exec sleep 1000",
    "another's reply": "read line; echo '{\"outcome\":\"measured\",\"iterations\":0}'",
}


class HostileWorker(AttackTest):
    def test_each_is_recognised(self):
        for name, script in WORKERS.items():
            with self.subTest(worker=name):
                other = self.folder / "other"
                other.write_text(f"#!/bin/bash\nif [ \"$1\" != worker ]; then exec {BENCH} \"$@\"; fi\n{script}\n")
                other.chmod(0o755)
                victim = self.started(Victim(
                    "check", "--against", other, "--contenders", "callbacks", "--scenario", "publish-instant-100", "--budget", "5s",
                    "--quiet", "--allow-debug-build"))
                self.assertOrderly(victim, 2, 3, 5, 7)
                self.assertFalse(set(victim.errors + victim.output) & {"\x1b", "\x07", "\0"}, "an escape code reached the terminal")
                self.assertLess(len(victim.errors), 2000)


if __name__ == "__main__":
    unittest.main()
