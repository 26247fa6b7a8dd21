"""What `scripts/record.py` records: doxeval from the outside, part by part."""
