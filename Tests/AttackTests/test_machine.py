"""A machine short of disk space, memory, descriptors, threads or processors, or whose clock goes back."""
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from victim import AttackTest, ControlGroup, Victim, attacks, chance, until

MOUNTS = os.geteuid() == 0 and subprocess.run(
    "unshare -m mount -t tmpfs none /mnt", shell=True, capture_output=True).returncode == 0

NOBODY = 65534


class FullDisk(AttackTest):
    @unittest.skipUnless(MOUNTS, "only root can mount a small disk")
    def test_a_full_disk_is_reported_and_the_record_is_readable(self):
        for kibibytes in (4, 8, 12, 16, 24, 40, 48, 56):
            with self.subTest(kibibytes=kibibytes):
                disk = self.folder / str(kibibytes)
                disk.mkdir()
                subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "none", disk], check=True)
                try:
                    victim = self.started(Victim.run(disk))
                    self.assertOrderly(victim, 0, 6)
                    if victim.process.returncode:
                        self.assertIn("No space left on device", victim.errors)
                        self.assertEqual(len(victim.errors.splitlines()), 1, victim.errors)
                    self.assertReadable(disk / "attacked")
                    if (disk / "latest").is_symlink():
                        self.assertTrue((disk / "latest" / "samples.csv").exists(), "latest points at nothing readable")
                    else:
                        self.assertFalse((disk / "attacked").exists(), "an empty folder is left")
                finally:
                    subprocess.run(["umount", "-l", disk], check=True)


class SmallFiles(AttackTest):
    def test_a_file_that_cannot_grow_is_reported(self):
        for kibibytes in (1, 2, 4, 8, 20, 1024):
            with self.subTest(kibibytes=kibibytes):
                output, size = self.folder / str(kibibytes), kibibytes << 10
                victim = self.started(Victim.run(output, limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))))
                self.assertOrderly(victim, *([6] if kibibytes < 10 else [0, 6] if kibibytes < 100 else [0]))
                if victim.process.returncode:
                    self.assertIn("File too large", victim.errors)
                    self.assertEqual(len(victim.errors.splitlines()), 1, victim.errors)
                self.assertReadable(output / "attacked")


class NoTemporaryFolder(AttackTest):
    def test_nothing_is_measured_without_a_temporary_folder(self):
        absent = self.folder / "absent"
        commands = (("run", "--output", self.folder, "--service", "file"), ("verify",), ("load",), ("doctor",), ("check", "--against", "/bin/true"))
        for place in (absent, "/dev/null", "/proc"):
            for command in commands:
                with self.subTest(place=place, command=command[0]):
                    # Valid options, so that the folder is the first error.
                    build = [] if command[0] == "verify" else ["--allow-debug-build"]
                    victim = self.started(Victim(*command, *build, environment={"TMPDIR": str(place)}))
                    self.assertOrderly(victim, 6)
                    self.assertIn(f"cannot write temporary files in {place}: ", victim.errors)
                    self.assertIn("TMPDIR", victim.errors)
                    self.assertEqual(len(victim.errors.splitlines()), 1, victim.errors)
                    self.assertFalse(absent.exists())


class RemovedFolder(AttackTest):
    def test_a_folder_removed_during_a_run_is_reported(self):
        for seed in attacks():
            with self.subTest(seed=seed):
                output = self.folder / str(seed)
                victim = self.started(Victim.run(output))
                self.assertTrue(until(lambda: (output / "attacked" / "samples.csv").exists()))
                time.sleep(chance(seed).uniform(0, 1))
                if victim.process.poll() is not None:
                    continue
                shutil.rmtree(output)
                self.assertOrderly(victim, 6)
                self.assertIn(str(output), victim.errors)


class FewDescriptors(AttackTest):
    def test_too_few_descriptors_are_reported(self):
        for count in (8, 16, 32, 64, 128, 256, 512):
            with self.subTest(count=count):
                victim = self.started(Victim.run(
                    self.folder / str(count), limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))))
                self.assertOrderly(victim, 0, 6)
                if victim.process.returncode:
                    self.assertIn("ulimit -n", victim.errors)


class LittleMemory(AttackTest):
    def test_too_little_memory_is_reported(self):
        for mebibytes in (200, 400, 1600, 4096):
            with self.subTest(mebibytes=mebibytes):
                size = mebibytes << 20
                victim = self.started(Victim.run(
                    self.folder / str(mebibytes), limits=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))))
                self.assertOrderly(victim, 0 if mebibytes >= 4096 else 6)
                if victim.process.returncode:
                    self.assertIn("ulimit -v", victim.errors)


class SmallControlGroup(AttackTest):
    @unittest.skipUnless(ControlGroup.can_be_made("memory"), "no control group with a limit of memory can be made")
    def test_a_process_killed_for_want_of_memory_is_reported(self):
        for mebibytes in (4, 8, 12, 20, 512):
            with self.subTest(mebibytes=mebibytes):
                group = self.group("memory", mebibytes << 20)
                output = self.folder / str(mebibytes)
                victim = self.started(Victim.run(output, fan_out="10,10000", limits=group.enter))
                # The kernel may end the parent as well as a worker.
                if victim.wait() == -signal.SIGKILL:
                    self.assertNoProcessIsLeft(victim)
                else:
                    self.assertOrderly(victim, 0, 3, 6)
                    if victim.process.returncode:
                        self.assertIn(f"out of memory: the kernel killed it; its control group has {mebibytes} MiB", victim.errors)
                self.assertReadable(output / "attacked")


class FewThreads(AttackTest):
    """libdispatch waits forever for a thread that it cannot start."""

    def assertSaid(self, victim, count, enough):
        self.assertOrderly(victim, 0 if count >= enough else 6)
        if victim.process.returncode:
            self.assertRegex(victim.errors, "only [0-9]+ more threads can be started")
            self.assertEqual(len(victim.errors.splitlines()), 1, victim.errors)

    @unittest.skipUnless(ControlGroup.can_be_made("pids"), "no control group with a limit of processes can be made")
    def test_a_control_group_with_too_few_threads_is_reported(self):
        for count in (1, 2, 8, 64, 400):
            with self.subTest(count=count):
                group = self.group("pids", count)
                self.assertSaid(self.started(Victim.run(self.folder / str(count), limits=group.enter)), count, enough=400)

    @unittest.skipUnless(ControlGroup.can_be_made("pids"), "no control group with a limit of processes can be made")
    def test_a_worker_that_gets_no_more_threads_is_given_up(self):
        for seed in attacks(0.2):  # Each takes half a minute.
            with self.subTest(seed=seed):
                group = self.group("pids", 4000)
                output = self.folder / str(seed)
                victim = self.started(Victim.run(output, "--patience", "1s", limits=group.enter))
                self.assertTrue(until(lambda: victim.workers or victim.process.poll() is not None))
                time.sleep(chance(seed).uniform(0, 0.5))
                group.limit(1)
                self.assertOrderly(victim, 0, 3)
                self.assertReadable(output / "attacked")

    def test_a_user_with_too_few_threads_is_reported(self):
        def limits(count):
            resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
            if os.geteuid() == 0:
                # The limit does not apply to root.
                os.setgroups([]), os.setgid(NOBODY), os.setuid(NOBODY)
        self.folder.chmod(0o777)
        for count in (1, 4, 4000):
            with self.subTest(count=count):
                try:
                    victim = self.started(Victim.run(self.folder / str(count), limits=lambda: limits(count)))
                except PermissionError:
                    self.skipTest("the user nobody may not execute this build")
                self.assertSaid(victim, count, enough=4000)


class OneProcessor(AttackTest):
    def test_one_processor_is_enough(self):
        victim = self.started(Victim.run(self.folder, limits=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})))
        self.assertOrderly(victim, 0)
        self.assertReadable(self.folder / "attacked")


class ClockSetBack(AttackTest):
    @unittest.skipUnless(shutil.which("cc") or shutil.which("clang"), "there is no compiler for C")
    def test_the_calendar_is_not_used_for_timing(self):
        source, library = Path(__file__).with_name("calendar.c"), self.folder / "calendar.so"
        for looks, every in ((0, 1), (0, 0), (1, 0), (3, 0), (5, 0), (7, 0), (20, 0), (80, 0)):
            with self.subTest(looks=looks, every=every):
                subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", f"-DLOOKS={looks}", f"-DEVERY={every}",
                                source, "-o", library], check=True)
                output = self.folder / f"{looks}-{every}"
                victim = self.started(Victim.run(output, environment={"LD_PRELOAD": str(library)}))
                self.assertOrderly(victim, 0)
                self.assertReadable(output / "attacked")


if __name__ == "__main__":
    unittest.main()
