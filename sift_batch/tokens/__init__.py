"""Bearer tokens for callers of the API: made and revoked in the admin, stored as hashes alone."""
