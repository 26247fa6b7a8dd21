"""The words of each grammar, which mutations put in the place of others."""

from __future__ import annotations


def words(text: str) -> tuple[bytes, ...]:
    """The words of a text, as bytes."""
    return tuple(word.encode() for word in text.split())


XML = (
    *words(
        "< > </ /> & ; &#0; &#x110000; &lt; &nbsp; &nosuch; ]]> <!-- --> <![CDATA[ <?x ?> <a> </a> "
        "<a/> <p> </p> <b> ]> <!DOCTYPE <?xml encoding= standalone= version= xmlns:x= x:y xml:id "
        "SYSTEM PUBLIC NDATA CDATA #IMPLIED #FIXED ID IDREFS ENTITIES UTF-16 latin-1 gbk utf-7"
    ),
    b"<!DOCTYPE a [", b"<!ENTITY x 'y'>", b"<!ENTITY x '&x;&x;'>", b"<!ENTITY % x 'y'>", b"%x;",
    b"<!ENTITY x SYSTEM 'file:///etc/passwd'>", b"<!ATTLIST a b CDATA 'c'>",
    b"<!ELEMENT a (b|c)*>", b"<!NOTATION x SYSTEM 'y'>", b"<![INCLUDE[", b"<![IGNORE[",
    b"<?xml version='1.0' encoding='punycode'?>", b"<?xml version='1.1'?>",
    b' a="&x;&x;&x;"', b" a='1' a='2'", b"<p" + b" a" * 30,
)  # fmt: skip
HTML = (
    *words(
        "<b> </b> <p> </p> <table> <tr> <td> <svg> <math> <template> <select> <option> <script> "
        "<style> <title> <h1> </h1> <h6> <section> </section> <header> <hgroup> <div> </div> <rp> "
        " <textarea> <plaintext> <frameset> <noscript> <iframe> <!doctype <!-- --> "
        "<br> </br> <li> <a> <nobr> <form> <button> <body> <html> <head> <base> <image> <mi> "
        "<annotation-xml> <foreignObject> <![CDATA[ ]]> &amp; &notin; &#128; &#xD800; &#0;"
    ),
    b"<meta charset=punycode>", b"<meta charset='utf-16'>", b"<meta charset=unicode_escape>",
    b'<meta http-equiv="content-type" content="text/html; charset=shift_jis">',
)  # fmt: skip
MARKDOWN = (
    *words("# ## ###### - * + 1. > ``` ~~~ | --- === *** __ ** ` [ ] ( ) ![ ]: <b> </b> <!-- \\"),
    b"    ", b"\t", b"  \n", b"\n\n", b"[x]: y\n", b"> > ", b"- - ", b"|---|\n", b"1) ",
)  # fmt: skip
JSON = words(
    '{ } [ ] : , " \\u0000 \\ud800 \\udc00 \\n \\" null true false {"a": NaN Infinity 1e999 -0 '
    '"" [[[[ }}}} {}'
)
RUN = (
    *JSON,
    *words(
        '"topic" "doc" "start" "end" "path" "nodes" "offset" "rank" "score" "run" "start_point" '
        '"end_point" "point" topic doc start end path nodes offset rank score run start_point '
        "point Q0 Q 7 8 a b a.xml ./a mine X -1 /s[1] /s[1]/p[2] /s[0] /s[1]/p[999999999] /* // "
        '/s/text()[1].2 /s/text()[0].0 ,, "" \''
    ),
)
XML_RUN = (
    *XML,
    *words(
        "<inex-submission <topic </topic> topic-id= <result> </result> <file> </file> <path> "
        "</path> <rank> </rank> <rsv> </rsv> <passage start= end= <fol offset= length= task= "
        "result-type= element passage fol run-id= <collections> <collection> <in> "
    ),
)
JUDGMENTS = (
    *RUN,
    *words(
        '"bep" "assessor" "pool" "e" "s" "inferred" "size" "rsize" "scale" "2005" "2004" "rel" '
        '"judged" "grade" "docsize" "?" "1/3" "U" 0:5 5:0 -1:5 0:-1 0:99999999999 : 0:5:5'
    ),
)
XML_JUDGMENTS = (
    *XML,
    *words(
        "<assessments </assessments> pool= topic= <file </file> name= file= <passage <element "
        "<path path= exhaustivity= exhaustiveness= specificity= relevance= coverage= cov= inpool= "
        "inferred= inconsistant= <best-entry-point whitespace-text-node= keep strip size= rsize= "
        '"?" "U" "3" "0" "E" "L" "N" "S" "/s[1]" "/s[1]/p[2]" "/s/text()[1].2"'
    ),
)
TOPICS = (
    *XML,
    *JSON,
    *words(
        '<inex_topic topic_id= query_type= ct_no= <title> </title> <castitle> <te> <cw> <ce> "id" '
        '"title" "castitle" "description" "narrative" <topic id= CO CAS CO+S SCAS VCAS about( // '
    ),
    b"\t",
)
NAVIGATION = (
    *JSON,
    *words(
        '"model" "routes" "summary" "matrix" "steady" "restart" "partition" "weights" "other" '
        '"tag" "depth" "path" "steps" "doc" "probabilities" "abandonment" "hierarchical" "none" '
        '"neighbours" "p" "a" "b" "/s[1]" "/s[1]/p[1]" "S" "P" 0.5 1 0 1.5'
    ),
)
NEXI = words(
    "// / [ ] ( ) | * about( about(., and or AND OR . .// /@ @a = != < > <= >= , ' \" ‘ ’ “ ” + - "
    "& a b sec p 2000 -1.5 ((( ))) ]]] [[["
)
MEASURES = words(
    "@ [ ] ( ) , = + : @10 @0 @-1 @1e3 [.01] [0] [1] [1.5] nxCG iP MAiP MAgP ESRR AP P R cF nav= "
    "nav=depth base= base=ideal quant= quant=spec ignore= ignore=p+b alpha= beta= score=F score= "
    "resize= window= links p b none all auto full strict gen sog5 true false"
)
PATHS = words("/ // [ ] ( ) | * @ , . .. text() text()[1].0 [1] [0] [999999999] sec p s a:b and")
