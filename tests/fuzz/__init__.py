"""Random documents, guided by coverage, against what reads documents; see ``__main__``."""
