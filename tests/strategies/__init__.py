"""Random trees, texts, documents and evaluations: the one home of Hypothesis generators."""

from strategies.assessment_files import qrels_texts, statement_texts, trec_texts
from strategies.assessments import (
    JUDGMENT_PARTS,
    gold_passages,
    graded_elements,
    highlights,
    judgments,
)
from strategies.judging import article_of, articles, operations_on, trees_to_judge
from strategies.pages import css_selectors, html_pages, markdown_texts
from strategies.pools import judged_documents, pools, runs_to_pool
from strategies.queries import nexi_queries, nexi_terms, topics
from strategies.roles import RoleDocument, role_documents, role_texts
from strategies.runs import element_paths, results, text_points
from strategies.scores import score_tables
from strategies.searches import Search, searches
from strategies.trees import (
    TAGS,
    Located,
    Node,
    Piece,
    collections_of,
    located,
    named_entities,
    nodes,
    pieces,
    plain_texts,
)
from strategies.world import (
    World,
    document_worlds,
    graded_worlds,
    needed_worlds,
    step_matrices,
    subtopic_worlds,
    unit_worlds,
    worlds,
)
from strategies.xml_documents import odd_documents, plain_documents

__all__ = [
    "JUDGMENT_PARTS",
    "TAGS",
    "Located",
    "Node",
    "Piece",
    "RoleDocument",
    "Search",
    "World",
    "article_of",
    "articles",
    "collections_of",
    "css_selectors",
    "document_worlds",
    "element_paths",
    "gold_passages",
    "graded_elements",
    "graded_worlds",
    "highlights",
    "html_pages",
    "judged_documents",
    "judgments",
    "located",
    "markdown_texts",
    "named_entities",
    "needed_worlds",
    "nexi_queries",
    "nexi_terms",
    "nodes",
    "odd_documents",
    "operations_on",
    "pieces",
    "plain_documents",
    "plain_texts",
    "pools",
    "qrels_texts",
    "results",
    "role_documents",
    "role_texts",
    "runs_to_pool",
    "score_tables",
    "searches",
    "statement_texts",
    "step_matrices",
    "subtopic_worlds",
    "text_points",
    "topics",
    "trec_texts",
    "trees_to_judge",
    "unit_worlds",
    "worlds",
]
