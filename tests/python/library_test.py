"""Tests the package in a project in which it is installed. Expected counts are published ones."""

import copy
import gc
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import unittest

import manyply

SOURCE = pathlib.Path(os.environ["SOURCE"])  # of the suites
LONG = 13  # depth of a count that takes too long to finish


class Board:
    """Has the members of a python-chess board that the package reads."""

    def __init__(self, fen, chess960=False):
        self.text = fen
        self.chess960 = chess960

    def fen(self):
        return self.text


def suite_lines(name, most):
    lines = (SOURCE / f"tools/suites/{name}.epd").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")][:most]


class Counts(unittest.TestCase):
    def test_the_classic_six(self):
        known = {"startpos": (5, 4865609), "kiwipete": (4, 4085603), "position3": (6, 11030083), "position4": (5, 15833292),
                 "position5": (4, 2103487), "position6": (4, 3894594)}
        for position, (depth, nodes) in known.items():
            self.assertEqual(manyply.perft(position, depth), nodes, position)
        self.assertEqual(manyply.perft("startpos", 0), 1)

    def test_are_what_they_are_however_they_are_counted(self):
        for method in ("auto", "hashed", "configurations"):
            self.assertEqual(manyply.perft("startpos", 6, method=method), 119060324, method)
        for kernel in manyply.kernels():
            self.assertEqual(manyply.perft("startpos", 5, kernel=kernel, hash_bytes=0), 4865609, kernel)
        self.assertEqual(manyply.perft("startpos", 6, hash_bytes=1 << 20, key_seed=7, threads=3), 119060324)

    def test_beyond_64_bits(self):
        count = manyply._library.Count(3, 6547190948110871637)
        self.assertEqual(count.value(), 61887423169239526485)

    def check_suite(self, name, most, max_nodes):
        positions = set()
        for line in suite_lines(name, most):
            fen, *counts = line.split("#")[0].replace(",", ";").split(";")
            for depth, count in enumerate(counts, 1):
                if count.startswith("D"):
                    depth, count = (int(number) for number in count[1:].split())
                if int(count) <= max_nodes:
                    positions.add(fen)
                    self.assertEqual(manyply.perft(fen.strip(), depth), int(count), line)
        return len(positions)

    def test_200_positions_of_suites(self):
        self.assertGreaterEqual(self.check_suite("tricky", 200, 200_000) + self.check_suite("corpus", 200, 5_000), 200)

    def test_100_positions_of_chess960(self):
        self.assertGreaterEqual(self.check_suite("chess960", 100, 200_000), 90)

    def test_boards_are_taken_for_their_fen(self):
        fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        self.assertIn("e1g1", manyply.divide(Board(fen), 1))
        self.assertIn("e1h1", manyply.divide(Board(fen, chess960=True), 1))
        self.assertIn("e1h1", manyply.legal_moves(fen, chess960=True))
        with self.assertRaises(TypeError):
            manyply.perft(5, 1)

    def test_boards_of_variants_are_refused_by_name(self):
        # python-chess stores the name of a board's rules in this way. The test does not import `chess`.
        fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        calls = (lambda board: manyply.perft(board, 1), lambda board: manyply.divide(board, 1),
                 lambda board: manyply.stats(board, 1), manyply.legal_moves, lambda board: manyply.play(board, "e2e4"))
        for variant in ("atomic", "horde", "3check", "crazyhouse", None):
            board = Board(fen)
            board.uci_variant = variant
            for call in calls:
                with self.assertRaises(manyply.InvalidInput) as caught:
                    call(board)
                self.assertEqual(caught.exception.field, "position")
                self.assertIn(variant or "Board", str(caught.exception))
        board.uci_variant = "chess"
        self.assertEqual(manyply.perft(board, 2), 400)

    def test_boards_of_python_chess(self):
        try:
            import chess
            import chess.variant
        except ImportError:
            self.skipTest("python-chess is not installed")
        self.assertEqual(manyply.perft(chess.Board(), 3), 8902)
        for variant in chess.variant.VARIANTS:
            if variant.uci_variant != "chess":
                with self.assertRaises(manyply.InvalidInput, msg=variant):
                    manyply.perft(variant(), 1)

    def test_divides_add_up(self):
        rows = manyply.divide("kiwipete", 4)
        self.assertEqual(len(rows), 48)
        self.assertEqual(sum(rows.values()), 4085603)
        self.assertEqual(rows["e1g1"], manyply.perft("kiwipete", 3, moves=["e1g1"]))

    def test_moves_are_sorted(self):
        moves = manyply.legal_moves("kiwipete")
        self.assertEqual(moves, sorted(moves))
        self.assertEqual(list(manyply.divide("kiwipete", 2)), moves)
        self.assertEqual(manyply.legal_moves("kiwipete", san=True)[:3], ["Rb1", "Rc1", "Rd1"])


class Questions(unittest.TestCase):
    def test_statistics(self):
        found = manyply.stats("kiwipete", 3)
        self.assertEqual((found["nodes"], found["captures"], found["en_passants"], found["castles"],
                          found["checks"] + found["mates"], found["mates"]), (97862, 17102, 45, 3162, 993, 1))

    def test_distinct_positions(self):
        plies = manyply.unique("startpos", 5)["plies"]
        self.assertEqual([ply["distinct"] for ply in plies], [1, 20, 400, 5362, 72078, 822518])

    def test_an_estimate(self):
        found = manyply.estimate("startpos", 7, samples=20_000, seed=3)
        self.assertTrue(found["low"] < 3195901860 < found["high"])
        self.assertEqual(found["estimate"], manyply.estimate("startpos", 7, samples=20_000, seed=3, threads=1)["estimate"])
        with self.assertRaises(manyply.InvalidInput) as caught:
            manyply.estimate("startpos", 7, samples=3)
        self.assertEqual(caught.exception.field, "samples")

    def test_a_verification(self):
        self.assertIs(manyply.verify("startpos", 5)["agrees"], True)
        with self.assertRaises(manyply.InvalidInput) as caught:
            manyply.verify("startpos", 5, hash_bytes=0)
        self.assertEqual(caught.exception.field, "hash_bytes")

    def test_every_mode_has_a_document(self):
        for mode in ("count", "hashed", "unhashed", "configurations"):
            self.assertEqual(manyply.answer(mode, "startpos", 5)["nodes"], 4865609, mode)
        with self.assertRaises(manyply.InvalidInput):
            manyply.answer("guess", "startpos", 5)

    def test_a_divide_of_somebody_else(self):
        fen = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1"
        ours = manyply.divide(fen, 2, moves="f3h1")
        self.assertTrue(manyply.diff(fen, 2, ours, moves="f3h1")["agrees"])
        with_castling = {**manyply.divide(fen, 1, moves="f3h1"), "e1g1": 1}
        found = manyply.diff(fen, 1, with_castling, moves="f3h1")
        self.assertFalse(found["agrees"])
        self.assertEqual([cause["name"] for cause in found["causes"]], ["castling-without-rook"])
        # A dictionary has all counts of the program, but a text may have lost lines.
        fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        missing = manyply.divide(fen, 1)
        del missing["e1g1"]
        self.assertEqual([cause["name"] for cause in manyply.diff(fen, 1, missing)["causes"]], ["castling-missed"])
        lost = manyply.diff(fen, 1, "".join(f"{move}: 1\n" for move in missing))
        self.assertEqual((lost["agrees"], lost["incomplete"], lost["causes"]), (False, True, []))
        with self.assertRaises(manyply.InvalidInput):
            manyply.diff(fen, 1, "nothing of the kind")

    def test_moves_and_positions(self):
        self.assertEqual(len(manyply.legal_moves("startpos")), 20)
        self.assertIn("Nf3", manyply.legal_moves("startpos", san=True))
        self.assertEqual(manyply.legal_moves("8/8/8/8/8/5k2/6q1/7K w - - 0 1"), [])
        self.assertEqual(manyply.play("startpos", ["e2e4"]), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")

    def test_suites_are_built_in_as_they_are(self):
        told = {"seconds": 0, "file": "", "read_as": []}  # only reports about files have these members
        for name in ("corpus", "classic", "tricky", "chess960", "deep"):
            built_in = manyply.suite(name, max_depth=2)
            of_file = manyply.suite(SOURCE / f"tools/suites/{name}.epd", max_depth=2)
            self.assertGreater(built_in["matches"], 0)
            self.assertEqual({**built_in, **told}, {**of_file, **told}, name)

    def test_of_documents_counts_are_numbers_and_no_other_text(self):
        self.assertEqual(manyply.with_counts({"file": "12", "rows": [{"nodes": "12"}, "\u00b2"]}),
                         {"file": "12", "rows": [{"nodes": 12}, "\u00b2"]})

    def test_results_are_dicts_with_attributes_and_print_tables(self):
        moves = manyply.divide("startpos", 3)
        self.assertEqual((moves["a2a3"], moves.total, len(moves)), (380, 8902, 20))
        self.assertEqual(str(moves).splitlines()[1].split(), ["a2a3", "380"])
        self.assertEqual(str(moves).splitlines()[-1].split(), ["total", "8902"])
        found = manyply.answer("count", "startpos", 5)
        self.assertEqual((found.nodes, found.matrix.parts, found.divide[0].move), (4865609, 1, "a2a3"))
        self.assertEqual(found, dict(found))
        with self.assertRaisesRegex(AttributeError, "'leafs'.*nodes"):
            found.leafs  # noqa: B018
        stats = manyply.stats("kiwipete", 2)
        self.assertIn(["captures", "351"], [line.split() for line in str(stats).splitlines()])
        self.assertIn("<td>captures</td><td>351</td>", stats._repr_html_())
        self.assertIn("<td>a2a3</td><td>380</td>", moves._repr_html_())
        self.assertIn("&lt;b&gt;", manyply.Document(note="<b>")._repr_html_())
        for result in (moves, found, stats):
            again = pickle.loads(pickle.dumps(result))
            self.assertEqual((again, type(again)), (result, type(result)))

    def test_verdicts_are_those_of_the_command(self):
        for mode, depth, verdict in (("count", 4, "match"), ("stats", 3, "match"), ("unique", 3, "match"), ("verify", 3, "agree"),
                                     ("estimate", 6, "inside"), ("estimate", 2, "match")):
            self.assertEqual(manyply.answer(mode, "startpos", depth).verdict, verdict, mode)
        self.assertEqual(manyply.answer("count", "8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", 2).verdict, "unknown")

    def test_suites(self):
        found = manyply.suite("classic", max_nodes=10_000)
        self.assertEqual((found["mismatches"], found["differences"]), (0, []))
        self.assertGreater(found["matches"], 10)
        wrong = manyply.suite("startpos ;D1 20 ;D2 401")
        self.assertEqual([(row["expected"], row["nodes"]) for row in wrong["differences"]], [(401, 400)])
        for source, told in (("/nowhere/at.all", "/nowhere/at.all"), ("tricki", "did you mean 'tricky'?"),
                             ("large", "does not include"), ("", "source: is empty")):
            with self.assertRaises(manyply.ManyplyError, msg=source) as caught:
                manyply.suite(source)
            self.assertIn(told, str(caught.exception))


class Errors(unittest.TestCase):
    def test_tell_field_and_column(self):
        with self.assertRaises(ValueError) as caught:
            manyply.perft("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", 3)
        self.assertEqual((caught.exception.code, caught.exception.field, caught.exception.column),
                         ("invalid_input", "castling", 24))
        self.assertEqual(str(caught.exception), "castling: no rook on h1 (column 24)")
        with self.assertRaises(manyply.Illegal) as caught:
            manyply.perft("startpos", 3, moves="e2e4 e2e4")
        self.assertEqual((caught.exception.field, caught.exception.column), ("moves", 6))

    def test_nothing_is_cut_down_in_silence(self):
        for depth in (-1, 65, 2**32, 2**70):
            with self.assertRaises(manyply.InvalidInput, msg=str(depth)):
                manyply.perft("startpos", depth)
        with self.assertRaises(TypeError):
            manyply.perft("startpos", 3.5)
        with self.assertRaises(manyply.InvalidInput):
            manyply.perft("startpos\0w", 1)
        with self.assertRaises(manyply.InvalidInput):
            manyply.perft("start\ud800", 1)
        for name, value in (("threads", -1), ("threads", 2**32 + 1), ("hash_bytes", 5), ("hash_bytes", 2**64 + 2**20),
                            ("method", "guessed"), ("kernel", "abacus"), ("key_seed", -1)):
            with self.assertRaises(manyply.InvalidInput, msg=name) as caught:
                manyply.perft("startpos", 5, **{name: value})
            self.assertEqual(caught.exception.field, name)
        for wrong in ({"tables": 5}, {"moves": 5}, {"moves": b"e2e4"}, {"progress": 5}, {"cancel": True}):
            with self.assertRaises(TypeError, msg=str(wrong)) as caught:
                manyply.perft("startpos", 2, **wrong)
            self.assertIn(next(iter(wrong)), str(caught.exception))
        for wrong in (5, None, {"e2e4": "1"}, {"e2e4": 1.0}):
            with self.assertRaises(TypeError, msg=str(wrong)) as caught:
                manyply.diff("startpos", 1, wrong)
            self.assertIn("theirs", str(caught.exception))
        self.assertEqual(manyply.perft("startpos", 2, moves=None), 400)

    def test_memory_that_is_not_there(self):
        with self.assertRaises(manyply.Unavailable):
            manyply.perft("startpos", 7, hash_bytes=1 << 46)


class Ends(unittest.TestCase):
    def test_progress_is_told_on_the_thread_that_asked_and_may_end_a_count(self):
        heard = []

        def listen(progress):
            heard.append((progress, threading.get_ident()))
            return len(heard) == 3

        with self.assertRaises(manyply.Cancelled):
            manyply.perft("startpos", LONG, progress=listen)
        self.assertEqual(len(heard), 3)
        for progress, thread in heard:
            self.assertEqual(thread, threading.get_ident())
            self.assertIsInstance(progress.phase, str)
            self.assertTrue(progress.fraction is None or 0 <= progress.fraction <= 1)

    def test_what_progress_raises_is_passed_on(self):
        def fail(progress):
            raise KeyError(progress.phase)

        with self.assertRaises(KeyError):
            manyply.divide("startpos", LONG, progress=fail)
        self.assertEqual(manyply.perft("startpos", 4), 197281)

    def test_another_thread_may_cancel(self):
        stop = manyply.Cancel()
        with self.assertRaises(manyply.Cancelled):
            manyply.perft("startpos", LONG, cancel=stop, progress=lambda _: stop.request())
        with self.assertRaises(manyply.Cancelled):
            manyply.perft("startpos", LONG, cancel=stop)

    def test_progress_ends_this_count_alone(self):
        stop = manyply.Cancel()
        with self.assertRaises(manyply.Cancelled):
            manyply.perft("startpos", LONG, cancel=stop, progress=lambda _: True)
        self.assertEqual(manyply.perft("startpos", 5, cancel=stop), 4865609)

    def test_a_request_holds_for_the_smallest_count(self):
        stop = manyply.Cancel()
        stop.request()
        for depth in range(5):
            with self.assertRaises(manyply.Cancelled):
                manyply.perft("startpos", depth, cancel=stop)

    def test_a_cancel_is_not_copied(self):
        for take in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaises(TypeError):
                take(manyply.Cancel())

    @unittest.skipIf(os.name == "nt" or sys.implementation.name != "cpython", "instructions are CPython's, signals POSIX's")
    def test_a_signal_where_a_count_ends_is_heard(self):
        # A signal may arrive between any two instructions. Try each of these places: a trace function raises an
        # exception, as the handler of a signal does.
        class Signal(Exception):
            pass

        def count_with_signal_at(instruction):
            left = [instruction]

            def trace(frame, event, _):
                if not frame.f_code.co_filename.endswith("_library.py") or threading.current_thread() is not threading.main_thread():
                    return None
                frame.f_trace_opcodes = True
                if event == "opcode" and frame.f_code.co_name == "_run_apart":
                    left[0] -= 1
                    if left[0] == 0:
                        raise Signal
                return trace

            before = sys.gettrace()
            sys._getframe().f_trace_opcodes = True  # Python 3.12 reads this when the trace function is set
            sys.settrace(trace)
            try:
                manyply.perft("startpos", 4)
            except Signal:
                pass
            finally:
                sys.settrace(before)
            return left[0] > 0

        instruction = 1
        while not count_with_signal_at(instruction):
            instruction += 1
        self.assertGreater(instruction, 30)
        self.assertEqual(manyply.perft("startpos", 4), 197281)

    @unittest.skipIf(os.name == "nt", "signals are POSIX's")
    def test_ctrl_c_ends_a_count_and_all_goes_on(self):
        code = ("import manyply\n"
                "try:\n"
                f"    manyply.perft('startpos', {LONG}, progress=lambda _: print('counting', flush=True))\n"
                "except KeyboardInterrupt:\n"
                "    print(manyply.perft('startpos', 4), flush=True)\n")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "counting\n")
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        self.assertEqual(rest.splitlines()[-1], "197281")
        self.assertEqual(process.returncode, 0)

    def test_two_threads_count_at_once(self):
        found = {}

        def count(position, depth):
            found[position] = manyply.perft(position, depth, hash_bytes=1 << 20)

        threads = [threading.Thread(target=count, args=question) for question in (("startpos", 6), ("kiwipete", 5))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {"startpos": 119060324, "kiwipete": 193690690})

    def test_others_of_the_interpreter_run_meanwhile(self):
        stop = manyply.Cancel()
        heard = threading.Event()
        other = threading.Thread(target=lambda: (heard.wait(), stop.request()), daemon=True)
        other.start()
        with self.assertRaises(manyply.Cancelled):
            manyply.perft("startpos", LONG, cancel=stop, progress=lambda _: heard.set())
        other.join()

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_fork_after_use(self):
        self.assertEqual(manyply.perft("startpos", 6), 119060324)
        child = os.fork()
        if child == 0:
            try:
                right = manyply.perft("startpos", 6) == 119060324
            finally:
                os._exit(0 if right else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    @unittest.skipUnless(sys.platform == "linux" and sys.implementation.name == "cpython", "reads /proc, and PyPy collects later")
    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "a sanitizer remembers each thread that there was, one a count")
    def test_10_000_small_counts_take_no_more_memory(self):
        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def count(times):
            for _ in range(times):
                self.assertEqual(manyply.perft("kiwipete", 2), 2039)
                self.assertEqual(len(manyply.divide("startpos", 1)), 20)

        count(1_000)
        before = resident()
        count(9_000)
        self.assertLess(resident() - before, 2 << 20)


class Command(unittest.TestCase):
    def run_command(self, *arguments):
        return subprocess.run([sys.executable, "-m", "manyply", *arguments], stdout=subprocess.PIPE, text=True)

    def test_is_the_command(self):
        done = self.run_command("count", "5", "--format", "csv")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "total,4865609"))
        self.assertEqual(self.run_command("check", "startpos", "3", "8903").returncode, 1)
        self.assertIn("bisect", self.run_command("help").stdout)

    @unittest.skipIf(os.name == "nt", "signals are POSIX's")
    def test_ctrl_c_is_the_commands(self):
        with subprocess.Popen([sys.executable, "-m", "manyply", "count", str(LONG), "--progress", "json"],
                              stderr=subprocess.PIPE, text=True) as process:
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            process.stderr.read()
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main(verbosity=2)
