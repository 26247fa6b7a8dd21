"""Assessments: what was judged, and what of it is relevant.

A judgment is a row of columns, from the bytes of a file to the ground truth of an evaluation:

    read_write               which files, which format
    trec, inex_text,         bytes to columns, a reader and a writer for each format;
    inex_xml, jsonl          frames has those for dicts and data frames
    columns, judgment        all judgments as columns; a `Judgment` is one row as a value
    resolution               the same in code points of a collection's texts, done once
    merge                    one judgment of several assessors'
    assessments              the judgments by topic, each document judged once

What is relevant follows from them, as text or as elements:

    needs                    which spans answer which need of a topic
    grades                   the scales of INEX, and quantisations, which make numbers of grades
    elements                 the elements that were graded, listed, or hold highlighted text
    recall_bases             which of these are relevant by a quantisation, and which are ideal

Measures take it from here: `GroundTruth` keeps it for all runs, and they say what retrieved text
and elements are worth. consistency has the rules of grades, statistics the figures of papers.
"""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "Assessments",
    "Judgment",
    "NeededSpan",
    "as_assessments",
    "read_assessments",
    "write_assessments",
]

__getattr__, __dir__ = door(__name__, __file__)
