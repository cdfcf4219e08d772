"""my_engine.py DEPTH FEN: prints a divide. FAULT names a bug of the generator."""
import os
import sys

from generator import Generator

engine = Generator(os.environ.get("FAULT", ""))

if __name__ == "__main__":
    for move, nodes in engine.divide(sys.argv[2], int(sys.argv[1])).items():
        print(f"{move}: {nodes}")
