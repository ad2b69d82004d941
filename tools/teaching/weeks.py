"""The weeks of docs/*/teaching.md: a page, its first part and the one before which it ends, by
their English headings. The Chinese page has as many."""

SPLIT = "### Four terms, two ways"
WEEKS = [("00_foundations", "", ""), ("01_embedding", "", ""), ("02_attention", "", ""),
         ("03_layer_norm", "", ""), ("04_feed_forward", "", ""), ("05_encoder", "", ""),
         ("06_decoder", "", ""), ("07_transformer", "", ""), ("08_transformer_xl", "", SPLIT),
         ("08_transformer_xl", SPLIT, "")]
