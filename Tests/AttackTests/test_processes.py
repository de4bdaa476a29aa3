"""Processes that are killed or stopped at any moment."""
import os
import signal
import time
import unittest

from victim import AttackTest, Victim, attacks, chance, until


class KilledParent(AttackTest):
    def test_the_record_is_readable_and_no_process_is_left(self):
        for seed in attacks(4):
            with self.subTest(seed=seed):
                output = self.folder / str(seed)
                victim = self.started(Victim.run(output))
                # Half of them in the first half second.
                time.sleep(chance(seed).uniform(0, 3 if seed % 2 else 0.5))
                victim.process.kill()
                victim.process.wait()
                self.assertNoProcessIsLeft(victim)
                if (output / "attacked").exists():
                    self.assertTrue((output / "attacked" / "samples.csv").exists(), "an empty run")
                self.assertReadable(output / "attacked")
                if (output / "latest").is_symlink():
                    self.assertTrue((output / "latest" / "samples.csv").exists(), "latest points at nothing readable")


class ClosedDescriptors(AttackTest):
    def test_output_does_not_go_into_a_record(self):
        victim = self.started(Victim.run(self.folder, limits=lambda: [os.close(number) for number in (0, 1)]))
        self.assertOrderly(victim, 6)
        self.assertIn("cannot write to standard output", victim.errors)
        self.assertReadable(self.folder / "attacked")


class KilledWorker(AttackTest):
    def test_its_contender_is_reported_and_others_are_measured(self):
        for seed in attacks(2):
            with self.subTest(seed=seed):
                output = self.folder / str(seed)
                victim = self.started(Victim.run(output))
                moment = chance(seed)
                self.assertTrue(until(lambda: victim.workers or victim.process.poll() is not None))
                time.sleep(moment.uniform(0, 2))
                if workers := victim.workers:
                    os.kill(moment.choice(workers), signal.SIGKILL)
                self.assertOrderly(victim, 0, 3)
                if victim.process.returncode == 3:
                    self.assertIn("signal 9", victim.errors)
                    self.assertIn("is not ranked", victim.errors)
                self.assertReadable(output / "attacked")


class StoppedWorker(AttackTest):
    def test_a_stopped_worker_is_given_up(self):
        victim = self.started(Victim.run(self.folder, "--budget", "5s", "--patience", "1s"))
        self.assertTrue(until(lambda: victim.workers))
        os.kill(victim.workers[0], signal.SIGSTOP)
        self.assertOrderly(victim, 3)
        # If it was not its turn, only the signal is known.
        self.assertRegex(victim.errors, "gave no answer within|was stopped or continued by a signal")
        self.assertReadable(self.folder / "attacked")


class SuspendedMachine(AttackTest):
    def test_a_run_survives_a_stop_of_all_its_processes(self):
        for seed in attacks():
            with self.subTest(seed=seed):
                output = self.folder / str(seed)
                victim = self.started(Victim.run(output))
                self.assertTrue(until(lambda: victim.workers or victim.process.poll() is not None))
                time.sleep(chance(seed).uniform(0, 1))
                processes = victim.pids
                for number in (signal.SIGSTOP, signal.SIGCONT):
                    for pid in processes:
                        try:
                            os.kill(pid, number)
                        except ProcessLookupError:
                            pass
                    time.sleep(1)
                self.assertOrderly(victim, 0)
                self.assertReadable(output / "attacked")


if __name__ == "__main__":
    unittest.main()
