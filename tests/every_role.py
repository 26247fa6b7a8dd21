"""Documents with everything that pages show, in several languages and formats."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """Some text in a language."""

    language: str
    direction: str
    title: str
    sentence: str
    word: str
    other: str


WORDS = {
    "english": Words(
        "en", "ltr", "The tides", "The moon pulls the sea, and the water rises.", "moon", "ירח"
    ),
    "hebrew": Words(
        "he", "rtl", "גאות ושפל", "הירח מושך את הים, והמים עולים (פעמיים ביום).", "ירח", "moon 42"
    ),
    "arabic": Words(
        "ar",
        "rtl",
        "المد والجزر",
        "القمر يجذب البحر، فيرتفع الماء مرتين في اليوم.",
        "قمر",
        "moon 42",
    ),
    "japanese": Words(
        "ja", "ltr", "潮の満ち引き", "月が海を引き、水位が上がる。一日に二度。", "月", "moon"
    ),
}
MATHEMATICS = (
    "<math display='block'><semantics><mrow><mi>h</mi><mo>=</mo><mfrac><mrow><mn>3</mn><mi>G</mi>"
    "</mrow><msup><mi>d</mi><mn>3</mn></msup></mfrac><mo>+</mo><msqrt><mi>x</mi></msqrt></mrow>"
    "<annotation encoding='application/x-tex'>h = \\frac{3G}{d^3} + \\sqrt{x}</annotation>"
    "</semantics></math>"
)


def html_page(name: str) -> str:
    """A page of HTML in a language."""
    language, direction, title, sentence, word, other = WORDS[name]
    more = "".join(
        f"<h{level}>{title} {level}</h{level}><p>{sentence}</p>" for level in range(2, 7)
    )
    return (
        f"<!DOCTYPE html><html lang={language} dir={direction}><title>{title}</title>"
        f"<h1>{title}</h1><p>{sentence} <em>{word}</em> <strong>{word}</strong> "
        f"<code>if x &lt; y: {word}</code> <small>{word}</small> {word}<sup>2</sup> "
        f"{word}<sub>i</sub> <q>{sentence}</q> {other}, {sentence}<br>{word}</p><hr>{more}"
        f"<pre>def tide(x):\n    return '{word}'\n\n\tprint(x)\n</pre>"
        f"<ul><li>{word}<li>{sentence}<ul><li>{word}</ul></ul>"
        f"<ol start=5 type=a><li>{sentence}<li value=9>{word}<li>{other}</ol>"
        f"<ol reversed><li>{word}<li>{other}</ol>"
        f"<dl><dt>{word}<dd>{sentence}<dt>{other}<dd>{word}</dl>"
        f"<blockquote><p>{sentence}</p></blockquote>"
        f"<figure><img src='images/moon.png' alt='{sentence}'><figcaption>{word}: {sentence}"
        f"</figcaption></figure>{MATHEMATICS}"
        f"<p>{word} <math><msup><mi>x</mi><mn>2</mn></msup></math>"
        f" {sentence}</p>"
        f"<table><caption>{title}</caption><colgroup><col><col></colgroup><thead><tr><th>{word}<th>"
        f"{other}<th>{word}</thead><tbody><tr><td rowspan=2>{sentence}<td>1<td>2<tr><td colspan=2>"
        f"{other}<tr><td>a<td>b<td>c</table><p>{sentence}</p></html>"
    )


DOCBOOK = """<article xmlns="http://docbook.org/ns/docbook"
 xmlns:m="http://www.w3.org/1998/Math/MathML">
<title>Tides</title><section><title>Of the moon</title>
<para>The <emphasis>moon</emphasis> pulls<footnote><para>So does the sun.</para></footnote> the
<literal>sea</literal>; <quote>high water</quote>.</para>
<programlisting>tide =  moon
    + sun</programlisting>
<orderedlist numeration="lowerroman"><listitem><para>rise</para></listitem><listitem>
<para>fall</para>
</listitem></orderedlist>
<variablelist><varlistentry><term>neap</term><listitem><para>low</para></listitem></varlistentry>
</variablelist><note><title>Note</title><para>Mind the tide.</para></note>
<table><title>Heights</title><tgroup cols="2"><colspec colname="a"/><colspec colname="b"/><thead>
<row>
<entry>port</entry><entry>m</entry></row></thead><tbody><row>
<entry namest="a" nameend="b">both</entry>
</row><row><entry>Brest</entry><entry>7</entry></row></tbody></tgroup></table>
<mediaobject><imageobject><imagedata fileref="images/moon.png"/></imageobject><textobject>
<phrase>the moon</phrase></textobject></mediaobject>
<equation><m:math><m:mfrac><m:mn>1</m:mn><m:mi>d</m:mi></m:mfrac></m:math></equation></section>
</article>"""
JATS = """<article xmlns:mml="http://www.w3.org/1998/Math/MathML"
 xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><title-group><article-title>Tides
</article-title></title-group></article-meta></front><body><sec><title>Results</title><p>Of
<italic>x</italic><sup>2</sup> and <monospace>y</monospace> <inline-formula><mml:math>
<mml:mi>x</mml:mi>
</mml:math></inline-formula>.</p><preformat>a  b
 c</preformat><list list-type="order"><list-item><p>one</p></list-item></list><def-list><def-item>
<term>
neap</term><def><p>low</p></def></def-item></def-list><disp-quote><p>High water.</p></disp-quote>
<fig><label>Figure 1</label><caption><title>The moon</title><p>At night.</p></caption>
<graphic xlink:href="images/moon.png"/></fig><table-wrap><label>Table 1</label><caption>
<p>Heights</p>
</caption><table><thead><tr><th>port</th></tr></thead><tbody><tr><td>Brest</td></tr></tbody></table>
</table-wrap></sec></body><back><fn-group><fn><p>A note.</p></fn></fn-group></back></article>"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title>Tides</title>
</titleStmt></fileDesc></teiHeader><text><body><div><head>Of the moon</head>
<p>It <hi rend="bold">pulls
</hi><lb/>the <q>sea</q><note>So does the sun.</note>.</p><lg><l>Low water,</l><l>high water.</l>
</lg>
<list rend="numbered"><item>rise</item><item>fall</item></list><table><row role="label">
<cell>port</cell>
<cell>m</cell></row><row><cell cols="2">both</cell></row></table><figure>
<graphic url="images/moon.png"/>
<head>The moon</head><figDesc>A disc.</figDesc></figure></div></body></text></TEI>"""
MALLARD = """<page xmlns="http://projectmallard.org/1.0/" xml:lang="he"><title>גאות</title><p>הירח
<em>מושך</em> <gui>OK</gui> <code>ls</code>.</p><code>ls -l
  cd</code><steps><item><p>עלייה</p></item><item><p>ירידה</p></item></steps><terms><item>
<title>שפל</title>
<p>מים נמוכים</p></item></terms><note><title>הערה</title><p>זהירות</p></note><media type="image"
 src="images/moon.png"><p>הירח</p></media><quote><p>מים רבים</p></quote></page>"""
MARKDOWN = """# Tides

The *moon* **pulls** the `sea`. ![The moon](images/moon.png)

3. rise
4. fall

> High water.

```
tide =  moon
    + sun
```

| port | m |
|------|---|
| Brest | 7 |

---
"""
INEX = """<article><fm><atl>Tides</atl></fm><bdy><sec><st>Moon</st><p>It <b>pulls</b> <tf>x^2</tf>
<it>so</it><footnote>So does the sun.</footnote>.</p><numeric-list><li><p>rise</p></li>
</numeric-list>
<fig><art file="moon.gif"/><fgc>The moon</fgc></fig><tbl><row><entry>a</entry></row></tbl></sec>
</bdy>
</article>"""
FILES: dict[str, str] = {
    **{f"{name}.html": html_page(name) for name in WORDS},
    "docbook.xml": DOCBOOK,
    "jats.xml": JATS,
    "tei.xml": TEI,
    "mallard.xml": MALLARD,
    "markdown.md": MARKDOWN,
    "inex.xml": INEX,
}
