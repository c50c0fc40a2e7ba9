"""The command line: ``batchnav train|eval|bench``."""
