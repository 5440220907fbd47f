"""``python -m incognote``, for where the command itself is not on the path."""

from incognote.cli.main import main

if __name__ == "__main__":
    main()
