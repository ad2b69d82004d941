"""Writes bleu_reference.json: what sacreBLEU 2.x says about a few awkward sentences.

    pip install sacrebleu && python tests/golden/bleu_reference.py

tests/text/bleu_test.cpp and bleu_tokens_test.cpp compare common/text with it.
"""

import json
import pathlib

import sacrebleu
from sacrebleu.metrics import BLEU

# Sentence pairs (hypothesis, reference), a corpus each.
CORPORA = {
    "punctuation": [
        ("Well, he said: \"No!\"", "Well , he said : \" No ! \""),
        ("It costs 1,234.50 euros, not 3.", "It cost 1,234.50 euros, not 3."),
        ("Wait... what?! (really)", "Wait … what?! (Really.)"),
        (".5 is 0.5, and 5. is 5", ".5 is 0.5, and 5. is 5"),
        ("a,b.c;d 1,b 2.c c.3 d,4", "a,b.c;d 1, b 2. c c. 3 d ,4"),
        ("the user's 'quoted' word", "the user's `quoted' word"),
    ],
    "dashes": [
        ("the 1990-2000 well-known 3-2 win", "the 1990 - 2000 well-known 3-2 win"),
        ("a - b -- c — d – e 10-", "a - b -- c—d – e 10 -"),
        ("-5 degrees, 10-year-old", "-5 degrees, 10 year old"),
    ],
    "entities": [
        ("&quot;AT&amp;T&quot; &lt;b&gt; <skipped>end", "\"AT&T\" <b> end"),
        ("&amp;lt; and &apos; stay", "&amp;lt; and &apos; stays"),
        ("[x] {y} ~z~ `w` a/b a\\b c^d e_f #1 $2 50% g&h i*j k+l m=n o@p q|r",
         "[x] {y} ~z~ `w` a/b a\\b c^d e_f #1 $2 50% g&h i*j k+l m=n o@p q|r ."),
    ],
    "chinese": [
        ("我喜欢2022年北京冬奥会。", "我爱2022年的北京冬奥会。"),
        ("他说：“你好，world！”3.5元", "他说：“你好，World！”3.5元。"),
        ("我 爱 北京 冬 奥会", "我爱北京冬奥会"),
        ("ＡＢＣ，１２３％　全角", "ABC，123％　全角"),
        ("iPhone手机的A/B测试…… ", "iPhone手机A/B测试……"),
        ("カタカナとひらがなと한글", "カタカナとひらがなと한국어"),
        ("𠀀 and 〇 and ㊣ → ★", "𠀀 and 〇 and ㊣ → ☆"),
    ],
    "case": [
        ("ÜBER die Straße IN KÖLN", "Über die STRASSE in Köln"),
        ("Привет, МИР! ΟΔΟΣ ΣΟΦΙΑ", "привет, мир! οδος Σοφια"),
        ("İstanbul DŽ Ǆ", "istanbul dž ǆ"),
    ],
    "spaces": [
        ("  two  spaces\tand a tab ", "two spaces and a tab"),
        ("no\u00a0break and\u3000wide\u2009thin", "no break and wide thin"),
        ("5. ", "5."),
        ("\u3000.5\u3000", ".5"),
    ],
    "empty hypothesis": [("", "a reference of six words ."), ("a b c d e", "a b c d e")],
    "all empty": [("", "something"), ("", "else")],
    "all wrong": [("completely other words here now", "nothing matches this sentence at all")],
    "no 4-gram": [("the cat sat on mat", "the cat is on the mat"), ("a dog", "a dog")],
    "no word of four": [("one two", "one two"), ("three", "three")],
    "identical": [("A man rides a red bike.", "A man rides a red bike."),
                  ("Zwei Hunde spielen im Schnee.", "Zwei Hunde spielen im Schnee.")],
    "too short": [("a small dog runs", "a small dog runs quickly through the deep snow")],
    "too long": [("a small dog runs quickly through the deep snow", "a small dog runs home")],
    "repeated": [("the the the the the the the", "the cat is on the mat"),
                 ("he is he is he is he is", "he is what he is")],
}


def expected(name, pairs, tokens, lowercase):
    metric = BLEU(tokenize=tokens, lowercase=lowercase, force=True)
    result = metric.corpus_score([h for h, _ in pairs], [[r for _, r in pairs]])
    return {
        "corpus": name,
        "tokens": tokens,
        "lowercase": lowercase,
        "score": result.score,
        "precisions": result.precisions,
        "brevity_penalty": result.bp,
        "hypothesis_length": result.sys_len,
        "reference_length": result.ref_len,
        "line": str(result),
        "signature": str(metric.get_signature()).rsplit("|version:", 1)[0],
        "hypothesis_tokens": [metric._preprocess_segment(h).split() for h, _ in pairs],
    }


def main():
    cases = [expected(name, pairs, tokens, lowercase)
             for name, pairs in CORPORA.items()
             for tokens in ("13a", "zh", "char", "none")
             for lowercase in (False, True)]
    corpora = {name: {"hypotheses": [h for h, _ in pairs], "references": [r for _, r in pairs]}
               for name, pairs in CORPORA.items()}
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    target = pathlib.Path(__file__).with_name("bleu_reference.json")
    target.write_text('{"sacrebleu": "%s",\n"corpora": %s,\n"cases": [\n%s\n]}\n' % (
        sacrebleu.__version__, json.dumps(corpora, ensure_ascii=False, indent=1), lines),
        encoding="utf-8")
    print(f"{target.name}: {len(cases)} cases from sacreBLEU {sacrebleu.__version__}")


if __name__ == "__main__":
    main()
