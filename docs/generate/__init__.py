"""docs/reference from the code and conf/: `make docs` writes it, tests/test_docs.py compares. Never edit it by hand."""
