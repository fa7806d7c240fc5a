"""The process that works: forked, watched, stopped."""
