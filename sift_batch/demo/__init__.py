"""``python -m sift_batch.demo``: a batch from submit to results, on this machine alone."""
