"""The plugin for pytest, with a generator that has errors on demand."""

import multiprocessing.process

import manyply
import pytest
from generator import BUGS, Generator

SMALL = {"max_nodes": 2_000, "budget": 20_000}


def test_a_right_generator_passes(assert_perft, capsys):
    assert_perft(Generator(), "tricky", **SMALL)
    said = capsys.readouterr().out
    assert "verdict    agrees" in said


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(assert_perft, bug):
    with pytest.raises(AssertionError, match="DIFFERS") as caught:
        assert_perft(Generator(bug), "tricky", **SMALL)
    said = str(caught.value)
    assert "expected" in said
    # The output must suggest a line that the user can type in Python, not a command that only this process could run.
    assert "\ngenerator  Generator\n" in said and "_relay" not in said
    assert said.startswith("verdict    DIFFERS")
    assert 'next       manyply.diff("' in said


def test_of_many_differences_some_are_told(assert_perft):
    with pytest.raises(AssertionError) as caught:
        assert_perft(lambda fen, depth: 10**6, "tricky", budget=20_000)
    said = str(caught.value)
    assert said.count(": expected ") == 20
    assert "\n… and " in said


def test_counts_by_move_are_taken_as_well(assert_perft):
    assert_perft(Generator().divide, "classic", max_depth=2)
    with pytest.raises(AssertionError, match="DIFFERS"):
        assert_perft(lambda fen, depth: {**Generator().divide(fen, depth), "a1a1": 1}, "classic", max_depth=1)


def test_what_a_generator_raises_is_told(assert_perft):
    def gives_up(fen, depth):
        raise IndexError("no such square")

    with pytest.raises(AssertionError, match=r'gives_up\("rnbqkbnr/.*", 1\): IndexError.*no such square') as caught:
        assert_perft(gives_up, "classic", max_depth=1)
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_failure_somewhere_is_the_cause_of_the_rest(assert_perft):
    def gives_up_late(fen, depth):
        if "R3K2R" in fen:
            raise IndexError("no such square")
        return Generator()(fen, depth)

    with pytest.raises(AssertionError, match="verdict") as caught:
        assert_perft(gives_up_late, "classic", max_depth=1)
    assert isinstance(caught.value.__cause__, IndexError)


def test_what_is_no_function_is_told(assert_perft):
    with pytest.raises(TypeError, match="not int"):
        assert_perft(5)


def test_what_is_no_count_is_told(assert_perft):
    with pytest.raises(AssertionError, match="expected a whole number"):
        assert_perft(lambda fen, depth: "20", "classic", max_depth=1)


def test_counts_that_cannot_be_are_told_at_once(assert_perft):
    for count in (-1, 1 << 128):
        with pytest.raises(AssertionError, match="expected a number from 0 to"):
            assert_perft(lambda fen, depth: count, "classic", max_depth=1)
    with pytest.raises(AssertionError, match="3, which is not a move"):
        assert_perft(lambda fen, depth: {3: 20}, "classic", max_depth=1)


def test_nothing_is_shared_where_all_is_wrong(assert_perft):
    with pytest.raises(AssertionError) as told:
        assert_perft(lambda fen, depth: 5, "classic", max_depth=2)
    assert "\nshared" not in str(told.value)


def test_a_folder_for_temporary_files_may_have_a_long_name(assert_perft, tmp_path, monkeypatch):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setitem(multiprocessing.process.current_process()._config, "tempdir", None)
    assert_perft(Generator(), "classic", max_depth=2)


def test_what_is_no_failure_of_the_generator_ends_all(assert_perft):
    def interrupted(fen, depth):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assert_perft(interrupted, "classic", max_depth=1)


def test_a_suite_that_is_not_there(assert_perft):
    with pytest.raises(manyply.InvalidInput, match="nowhere"):
        assert_perft(Generator(), "/nowhere/at.all")
    with pytest.raises(manyply.InvalidInput, match="--budget"):
        assert_perft(Generator(), budget="sixty")
