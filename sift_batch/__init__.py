"""The project around the app `batch`: Django's own files and the fetch that it ships."""
