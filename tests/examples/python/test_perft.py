from my_engine import engine


def test_perft(assert_perft):
    assert_perft(engine, budget=2000)
