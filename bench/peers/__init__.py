"""What the runner is compared with, each in a process of its own."""
