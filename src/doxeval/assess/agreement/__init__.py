"""How far assessors agree, how well they find what is known to be relevant, and one state of many."""
