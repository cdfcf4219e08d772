"""`python -m manyply` runs the command `perft`."""

from ._command import main

if __name__ == "__main__":
    main()
