"""A UCI engine that `perft` starts. It forwards all questions to the process with the generator under test.

This is a stand-alone script that does not use the package.
"""

import os
import sys
from multiprocessing.connection import Client


def main() -> None:
    address = os.environ["MANYPLY_RELAY"]
    host, _, port = address.rpartition(":")
    asks = Client((host, int(port)) if host == "127.0.0.1" else address, authkey=bytes.fromhex(os.environ["MANYPLY_RELAY_KEY"]))
    asks.send("relay")
    name, chess960 = asks.recv()
    position = ("startpos", "")
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "uci":
            option = "option name UCI_Chess960 type check default false\n" if chess960 else ""
            print(f"id name {name}\n{option}uciok", flush=True)
        elif word == "isready":
            print("readyok", flush=True)
        elif word == "position":
            fen, _, moves = rest.partition(" moves ")
            position = (fen[len("fen "):] if fen.startswith("fen ") else fen, moves)
        elif word == "go":
            asks.send((*position, int(rest.split()[-1])))
            said, failure = asks.recv()
            if failure:
                print(failure, file=sys.stderr, flush=True)
                sys.exit(1)
            print(said, flush=True)
        elif word == "quit":
            return


if __name__ == "__main__":
    try:
        main()
    except (EOFError, OSError):  # the process with the generator has ended
        sys.exit(1)
