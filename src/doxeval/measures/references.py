"""The papers that the measures come from, by the short names under which they are cited."""

from __future__ import annotations

REFERENCES = {
    "Ali, Consens and Lalmas 2012": "M. S. Ali, M. Consens, M. Lalmas: Extended structural "
    "relevance framework: a framework for evaluating structured document retrieval.",
    "Clarke et al. 2008": "C. L. A. Clarke, M. Kolla, G. V. Cormack, O. Vechtomova, A. Ashkan, "
    "S. Büttcher, I. MacKinnon: Novelty and diversity in information retrieval evaluation. "
    "SIGIR 2008.",
    "Cooper 1968": "W. S. Cooper: Expected search length: a single measure of retrieval "
    "effectiveness based on the weak ordering action of retrieval systems. American Documentation "
    "19(1), 1968.",
    "Gövert et al. 2003": "N. Gövert, G. Kazai, N. Fuhr, M. Lalmas: Evaluating the effectiveness "
    "of content-oriented XML retrieval. Technical report, University of Dortmund, 2003.",
    "Järvelin and Kekäläinen 2002": "K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation "
    "of IR techniques. ACM Transactions on Information Systems 20(4), 2002.",
    "Kamps et al. 2008": "J. Kamps, J. Pehcevski, G. Kazai, M. Lalmas, S. Robertson: INEX 2007 "
    "evaluation measures. INEX 2007.",
    "Kazai and Lalmas 2006": "G. Kazai, M. Lalmas: eXtended cumulated gain measures for the "
    "evaluation of content-oriented XML retrieval. ACM Transactions on Information Systems 24(4), "
    "2006.",
    "Lalmas and Tombros 2007": "M. Lalmas, A. Tombros: Evaluating XML retrieval effectiveness at "
    "INEX. SIGIR Forum 41(1), 2007.",
    "Lalmas et al. 2007": "M. Lalmas, G. Kazai, J. Kamps, J. Pehcevski, B. Piwowarski, "
    "S. Robertson: INEX 2006 evaluation measures. INEX 2006.",
    "Pehcevski and Thom 2006": "J. Pehcevski, J. A. Thom: HiXEval: highlighting XML retrieval "
    "evaluation. INEX 2005.",
    "Piwowarski and Dupret 2006": "B. Piwowarski, G. Dupret: Evaluation in (XML) information "
    "retrieval: expected precision-recall with user modelling (EPRUM). SIGIR 2006.",
    "Piwowarski and Gallinari 2003": "B. Piwowarski, P. Gallinari: Expected ratio of relevant "
    "units: a measure for structured information retrieval. INEX 2003.",
    "Piwowarski et al. 2007": "B. Piwowarski, P. Gallinari, G. Dupret: Precision recall with user "
    "modeling (PRUM): application to structured information retrieval. ACM Transactions on "
    "Information Systems 25(1), 2007.",
    "Raghavan et al. 1989": "V. Raghavan, P. Bollmann, G. S. Jung: A critical investigation of "
    "recall and precision as measures of retrieval system performance. ACM Transactions on "
    "Information Systems 7(3), 1989.",
    "Sakai and Dou 2013": "T. Sakai, Z. Dou: Summaries, ranked retrieval and sessions: a unified "
    "framework for information access evaluation. SIGIR 2013.",
    "Smith and Troynikov 2024": "B. Smith, A. Troynikov: Evaluating chunking strategies for "
    "retrieval. Technical report, Chroma, 2024.",
    "Voorhees 1999": "E. M. Voorhees: The TREC-8 question answering track report. TREC-8, 1999.",
    "Zhai, Cohen and Lafferty 2003": "C. Zhai, W. W. Cohen, J. Lafferty: Beyond independent "
    "relevance: methods and evaluation metrics for subtopic retrieval. SIGIR 2003.",
    "trec_eval": "C. Buckley and others: trec_eval, the evaluation program of the Text REtrieval "
    "Conference (TREC).",
}
