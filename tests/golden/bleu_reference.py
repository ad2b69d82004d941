"""Brings bleu_reference.json up to date: what sacreBLEU 2.x says of the corpora of awkward
sentences in it.

    pip install sacrebleu && python tests/golden/bleu_reference.py

tests/text/bleu_test.cpp and bleu_tokens_test.cpp compare common/text with it.
"""

import json
import pathlib

import sacrebleu
from sacrebleu.metrics import BLEU

TARGET = pathlib.Path(__file__).with_name("bleu_reference.json")


def expected(name, corpus, tokens, lowercase):
    metric = BLEU(tokenize=tokens, lowercase=lowercase, force=True)
    result = metric.corpus_score(corpus["hypotheses"], [corpus["references"]])
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
        "hypothesis_tokens": [metric._preprocess_segment(h).split() for h in corpus["hypotheses"]],
    }


def main():
    corpora = json.loads(TARGET.read_text(encoding="utf-8"))["corpora"]
    cases = [expected(name, corpus, tokens, lowercase)
             for name, corpus in corpora.items()
             for tokens in ("13a", "zh", "char", "none")
             for lowercase in (False, True)]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    TARGET.write_text('{"sacrebleu": "%s",\n"corpora": %s,\n"cases": [\n%s\n]}\n' % (
        sacrebleu.__version__, json.dumps(corpora, ensure_ascii=False, indent=1), lines),
        encoding="utf-8")
    print(f"{TARGET.name}: {len(cases)} cases from sacreBLEU {sacrebleu.__version__}")


if __name__ == "__main__":
    main()
