"""Every move of a row. Nothing else writes to the tables of ``batch``.

A move is one conditional UPDATE, or a few in one short transaction whose first statement is
a write. The row count is the answer. Rows are locked in the order gate, job, targets. Each
write of a drain carries the number of its claim, so a worker that lost its job writes nothing.
"""
