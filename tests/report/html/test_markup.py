"""Whatever is filled into a template is text."""

from traindx.report.html.markup import Markup, code, fill, packed, prose


def test_text_is_escaped_and_markup_is_not() -> None:
    assert fill("<b>{name}</b>", name="<i>&\"'") == "<b>&lt;i&gt;&amp;&quot;&#x27;</b>"
    assert fill("<b>{name}</b>", name=Markup("<i></i>")) == "<b><i></i></b>"


def test_braces_in_a_name_are_not_fields() -> None:
    assert fill("{name}", name="{0.__class__}") == "{0.__class__}"


def test_characters_that_turn_or_hide_text_are_replaced() -> None:
    assert fill("{name}", name="a\u202eb\u200bc\x1bd") == "a\ufffdb\ufffdc\ufffdd"


def test_code_keeps_its_lines() -> None:
    assert code("if a < b:\n\tgo()\n") == "if a &lt; b:\n    go()"


def test_backticks_become_code() -> None:
    assert prose("call `a<b>()` once") == "call <code>a&lt;b&gt;()</code> once"


def test_packed_bytes_mean_nothing_to_html() -> None:
    assert not set("<>&\"'") & set(packed(b"</script><!--" * 9))


def test_an_arrow_stays_on_its_line() -> None:
    assert prose("lr 2 -> 0.2") == "lr 2 <span class=arrow>-&gt;</span> 0.2"
