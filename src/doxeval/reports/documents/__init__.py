"""Documents: which of them a report shows, and what runs return in them."""
