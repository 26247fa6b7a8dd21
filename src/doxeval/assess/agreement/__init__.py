"""How far assessors agree, how they do on honeypots, and one judgment made of several."""
