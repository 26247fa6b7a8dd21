"""Seams: what tests change inside the package, such as sizes of blocks, limits, clocks and steps.

Tests name a seam; only this table knows where it lies, so that files can move and tests stay.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

SEAMS = {
    "aligned_places": "doxeval.locating.align.MOST_PLACES",
    "append_column": "doxeval.storage.writer.ColumnFile.append",
    "assessed_elements_block": "doxeval.assessments.elements._BLOCK",
    "assessed_trees": "doxeval.measures.families.esr.trees.trees_of_assessments",
    "assessment_piece_bytes": "doxeval.columns.fields._BLOCK",
    "assessment_statistics_rows": "doxeval.assessments.statistics._BLOCK",
    "block_rows": "doxeval.evaluation.scoring.ROWS",
    "build_sizes": "doxeval.documents.build.plan.SIZES",
    "campaign_clock": "doxeval.assess.db.session.now",
    "collection_kind": "doxeval.documents.layout.COLLECTION",
    "collection_rows": "doxeval.documents.collection._ROWS",
    "cover_pairs": "doxeval.documents.cover._MOST_PAIRS",
    "covered_text": "doxeval.measures.families.esr.trees._covers",
    "csv_rows": "doxeval.runs.csv_format._ROWS",
    "digest": "doxeval.storage.files.digest",
    "digests_not_kept": "doxeval.storage.files._NOT_KEPT",
    "download_grace": "doxeval.storage.remote._GRACE",
    "download_pauses": "doxeval.storage.remote._PAUSES",
    "element_relevance": "doxeval.measures.families.esr.hits._relevance_of_elements",
    "elements_limit": "doxeval.documents.build.writer.MOST_ELEMENTS",
    "erru_ideal_units": "doxeval.measures.families.erru._ideal_units",
    "expansion_allowance": "doxeval.files.EXPANSION_ALLOWANCE",
    "file_piece_bytes": "doxeval.runs.pieces.PIECE",
    "gains_best_first": "doxeval.measures.elements.best_first",
    "gains_by_node": "doxeval.measures.families.xcg._values_by_node",
    "hashing_block_bytes": "doxeval.storage.files._BLOCK",
    "hashing_cores": "doxeval.storage.files._cores",
    "hashing_threads_from": "doxeval.storage.files._WORTH_THREADS",
    "id_hash": "doxeval.documents.ids.hash_ids",
    "id_merge_block": "doxeval.documents.ids._BLOCK",
    "id_run_length": "doxeval.documents.ids._RUN",
    "ids_in_32_bits": "doxeval.documents.ids.MOST_IN_32_BITS",
    "index_batch_characters": "doxeval.retrieve.index_build._BATCH_CHARACTERS",
    "index_batch_documents": "doxeval.retrieve.index_build._BATCH_DOCUMENTS",
    "index_batch_words": "doxeval.retrieve.index_build._MOST_WORDS",
    "index_run_words": "doxeval.retrieve.index_build._RUN_WORDS",
    "index_terms_at_once": "doxeval.retrieve.index_build._TERMS_AT_ONCE",
    "index_terms_sampled": "doxeval.retrieve.index_build._SAMPLED",
    "index_workers": "doxeval.retrieve.index_build.Processes",
    "innermost_block": "doxeval.documents.lookup._SPANS",
    "is_watched": "doxeval.cli.output.is_watched",
    "joined_text_bytes": "doxeval.documents.build.merge._JOINED",
    "json_chunk_bytes": "doxeval.runs.jsonl._CHUNK",
    "judged_groups_limit": "doxeval.assessments.columns.MOST_GROUPS",
    "kept_digests": "doxeval.storage.files._DIGESTS",
    "kept_digests_limit": "doxeval.storage.files._MOST_KEPT",
    "kept_words": "doxeval.documents.words._MOST_WORDS",
    "largest_digests_file": "doxeval.storage.files._LARGEST_DIGESTS_FILE",
    "largest_manifest": "doxeval.storage.remote.LARGEST_MANIFEST",
    "largest_picture": "doxeval.assess.web.pictures.LARGEST_PICTURE",
    "largest_token": "doxeval.markup.expat.LARGEST_TOKEN",
    "lock_file": "doxeval.output.lock_file",
    "longest_document": "doxeval.documents.nodes.LONGEST_DOCUMENT",
    "longest_json_line": "doxeval.runs.jsonl.LONGEST_LINE",
    "lookup_block": "doxeval.documents.lookup._BLOCK",
    "manifests_limit": "doxeval.storage.remote._MOST_MANIFESTS",
    "many_pairs": "doxeval.measures.families.esr.reach.MANY_PAIRS",
    "measure_listing": "doxeval.measures.explain.listing",
    "most_offset_bytes": "doxeval.measures.texts.MOST_BYTES",
    "name_hashes": "doxeval.columns.names.spread_bits",
    "name_keys": "doxeval.columns.names.hash_loads",
    "ng_whole_collection": "doxeval.measures.families.ng._whole_collection",
    "ng_worth": "doxeval.measures.families.ng._worth",
    "nexi_rows_waiting": "doxeval.retrieve.nexi._ROWS_WAITING",
    "occurrence_limit": "doxeval.locating.occurrences._PLACES",
    "open_unverified": "doxeval.storage.files._UNVERIFIED",
    "longest_pdf": "doxeval.documents.readers.pdf.LONGEST",
    "pdf_library": "doxeval.documents.build.sources.can_read_pdf",
    "pairs_at_once": "doxeval.measures.families.esr.reach.MOST_PAIRS",
    "progress_clock": "doxeval.progress.clock",
    "page_width": "doxeval.cli.output.page_width",
    "parquet_expansion": "doxeval.runs.parquet.EXPANSION_ALLOWED",
    "parquet_pages": "doxeval.runs.parquet.MOST_PAGES",
    "password_hasher": "doxeval.assess.db.users.hasher",
    "paths_limit": "doxeval.documents.nodes.MOST_PATHS",
    "pattern_bits": "doxeval.retrieve.ancestors._MOST_BITS",
    "positions_counted_at_once": "doxeval.retrieve.index._COUNTED_AT_ONCE",
    "postings_in_32_bits": "doxeval.retrieve.index.MOST_IN_32_BITS",
    "postings_merged_at_once": "doxeval.retrieve.index_build._MERGED_AT_ONCE",
    "prum_ideal_elements": "doxeval.measures.families.prum._ideal_elements",
    "prum_nodes": "doxeval.measures.families.prum._nodes_by_topic",
    "ranx_qrels_bytes": "doxeval.assessments.ranx.LARGEST_FILE",
    "read_manifest": "doxeval.storage.files.read_manifest",
    "recalled_digests": "doxeval.storage.files._RECALLED",
    "recent_paths": "doxeval.documents.nodes._RECENT",
    "run_groups_limit": "doxeval.runs.run.MOST_GROUPS",
    "score_whole_run": "doxeval.evaluation.scoring.score_run",
    "search_worth_processes": "doxeval.retrieve.jobs.WORTH_PROCESSES",
    "settings_kept": "doxeval.assess.db.campaign._SETTINGS_KEPT",
    "settled_after": "doxeval.storage.files._SETTLED",
    "slowest_download": "doxeval.storage.remote._SLOWEST",
    "small_file_bytes": "doxeval.storage.files._SMALL",
    "statistics_chunks": "doxeval.documents.statistics._chunks",
    "statistics_rows": "doxeval.documents.statistics._CHUNK",
    "structure_rows": "doxeval.documents.verify._ROWS",
    "text_piece_bytes": "doxeval.runs.text._PIECE",
    "topics_limit": "doxeval.measures.ground_truth.MOST_TOPICS",
    "unfinished_host": "doxeval.output._host",
    "unverified_files": "doxeval.storage.files.StoredFiles.unverified",
    "whole_run_bytes": "doxeval.evaluation.scoring.LARGEST_WHOLE_RUN",
    "whole_run_check": "doxeval.evaluation.scoring.check_whole_run",
    "why_id_is_refused": "doxeval.documents.build.batch.why_id_has_spaces",
    "worker_threads": "doxeval.parallel.processes._threads",
    "write_download": "doxeval.storage.remote.flush_to_disk",
    "xml_part_bytes": "doxeval.documents.readers.xml.PART",
    "xml_read_by_calls": "doxeval.documents.readers.xml.XmlDocuments._read_by_calls",
    "xml_scan": "doxeval.documents.readers.xml.scan",
}


def change(patch: pytest.MonkeyPatch, **values: Any) -> None:
    """Give seams other values, until the patch is undone."""
    for seam, value in values.items():
        patch.setattr(*_place_of(seam), value)


def value_of(seam: str) -> Any:
    """Return what a seam is now."""
    return getattr(*_place_of(seam))


def _place_of(seam: str) -> tuple[Any, str]:
    """Return the module or class of a seam, and its name there.

    A module is imported by its name, since a room's door may have a function of the same name.
    """
    path, _, name = SEAMS[seam].rpartition(".")
    module, _, last = path.rpartition(".")
    if last[0].isupper():
        return getattr(import_module(module), last), name
    return import_module(path), name
