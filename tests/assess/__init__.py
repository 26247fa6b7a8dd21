"""Tests of the assessment application."""
