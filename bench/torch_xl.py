#!/usr/bin/env python3
"""The PyTorch side of the XL rows of `./learn bench`: a plain, hand-written Transformer-XL.

    torch_xl.py xl --preset small --dropout 0.1

The presets and flags are those of `bin/bench xl`. A step is forward over [memory | segment], cross
entropy, backward, clipping and Adam; the tokens of the segments count. As in Dai et al. 2019 (and
in bin/bench): post-norm, relative positions, u and v shared by all layers, the output tied to the
embedding. --sdpa, --compile and --adam choose PyTorch's implementation, --device and --precision
where and in which format it runs. The last line printed is JSON. Without PyTorch, or without the
device, the exit code is 77.
"""

import argparse
import json
import os
import resource
import statistics

from torch_mt import add_device, add_switch, environment, import_torch, in_precision, timed

PRESETS = {
    #          d_model d_ff heads layers batch tgt_len mem_len vocab
    "small": (128, 512, 8, 4, 16, 64, 64, 65),
    "medium": (256, 1024, 8, 6, 60, 150, 150, 65),
}
FIELDS = ("d_model", "d_ff", "heads", "layers", "batch", "tgt_len", "mem_len", "vocab")


def parse_flags():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    command = parser.add_subparsers(dest="command", required=True).add_parser("xl")
    command.add_argument("--preset", choices=PRESETS, default="small")
    for field in FIELDS:
        command.add_argument("--" + field.replace("_", "-"), type=int)
    command.add_argument("--dropout", type=float, default=0.1)
    command.add_argument("--clip", type=float, default=0.25)
    command.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    command.add_argument("--seed", type=int, default=0)
    add_device(command)
    add_switch(command, "sdpa", False, "F.scaled_dot_product_attention")
    add_switch(command, "compile", False, "torch.compile")
    command.add_argument("--adam", choices=("loop", "foreach", "fused"), default="foreach")
    command.add_argument("--warmup", type=int, default=3)
    command.add_argument("--steps", type=int, default=15)
    flags = parser.parse_args()
    for field, value in zip(FIELDS, PRESETS[flags.preset]):
        if getattr(flags, field) is None:
            setattr(flags, field, value)
    return flags


def build_model(torch, flags):
    nn, F = torch.nn, torch.nn.functional
    d, heads, dropout = flags.d_model, flags.heads, flags.dropout
    d_k = d // heads

    def relative_shift(x):
        batch, h, t, s = x.shape
        padded = F.pad(x, (1, 0)).view(batch, h, s + 1, t)
        return padded[:, :, 1:].reshape(batch, h, t, s)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.kv = nn.Linear(d, d, bias=False), nn.Linear(d, 2 * d, bias=False)
            self.r, self.o = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
            self.norm_1, self.norm_2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.a, self.b = nn.Linear(d, flags.d_ff), nn.Linear(flags.d_ff, d)
            self.drop = nn.Dropout(dropout)

        def attention(self, x, memory, positions, u, v, forbidden):
            batch, t, _ = x.shape
            context = torch.cat((memory, x), 1)
            s = context.size(1)
            q = self.q(x).view(batch, t, heads, d_k)
            k, value = self.kv(context).view(batch, s, 2, heads, d_k).permute(2, 0, 3, 1, 4)
            r = self.r(positions).view(s, heads, d_k).permute(1, 2, 0)
            position = relative_shift((q + v).transpose(1, 2) @ r)
            q_u, scale = (q + u).transpose(1, 2), d_k ** -0.5
            if flags.sdpa:
                bias = (position * scale).masked_fill(forbidden, -1e9)
                rate = dropout if self.training else 0.0
                y = F.scaled_dot_product_attention(q_u, k, value, attn_mask=bias, dropout_p=rate)
            else:
                scores = (q_u @ k.transpose(-2, -1) + position) * scale
                y = self.drop(scores.masked_fill(forbidden, -1e9).softmax(-1)) @ value
            return self.o(y.transpose(1, 2).reshape(batch, t, d))

        def forward(self, x, memory, positions, u, v, forbidden):
            y = self.attention(x, memory, positions, u, v, forbidden)
            x = self.norm_1(x + self.drop(y))
            return self.norm_2(x + self.drop(self.b(self.drop(F.relu(self.a(x))))))

    class TransformerXl(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(flags.vocab, d)
            self.layers = nn.ModuleList(Layer() for _ in range(flags.layers))
            self.u, self.v = (nn.Parameter(torch.zeros(heads, d_k)) for _ in range(2))
            self.bias = nn.Parameter(torch.zeros(flags.vocab))
            self.drop = nn.Dropout(dropout)
            for parameter in self.parameters():
                if parameter.dim() > 1:
                    nn.init.normal_(parameter, 0.0, 0.02)
            longest = flags.mem_len + flags.tgt_len
            angles = torch.arange(longest - 1, -1, -1.0)[:, None] / 10000 ** (
                torch.arange(0.0, d, 2.0) / d)
            self.register_buffer("positions", torch.cat((angles.sin(), angles.cos()), -1))
            forbidden = torch.ones(flags.tgt_len, longest, dtype=torch.bool)
            self.register_buffer("forbidden", forbidden.triu(1 + flags.mem_len))

        def forward(self, ids, memories):
            positions = self.drop(self.positions)
            x = self.drop(self.embedding(ids) * d ** 0.5)
            remembered = []
            for layer, memory in zip(self.layers, memories):
                remembered.append(torch.cat((memory, x), 1)[:, -flags.mem_len:].detach())
                x = layer(x, memory, positions, self.u, self.v, self.forbidden)
            return F.linear(self.drop(x), self.embedding.weight, self.bias), remembered

    return TransformerXl()


def train(torch, flags):
    model = build_model(torch, flags).train()
    options = {} if flags.adam == "loop" else {flags.adam: True}
    optimizer = torch.optim.Adam(model.parameters(), lr=2.5e-4, **options)
    memories = [torch.zeros(flags.batch, flags.mem_len, flags.d_model)
                for _ in range(flags.layers)]
    ids = torch.randint(0, flags.vocab, (flags.batch, flags.tgt_len + 1))
    ids, expected = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()

    def loss_of(ids, expected, memories):
        logits, remembered = model(ids, memories)
        loss = torch.nn.functional.cross_entropy(logits.view(-1, flags.vocab), expected.view(-1))
        return loss, remembered

    if flags.compile:
        loss_of = torch.compile(loss_of)
    loss_of = in_precision(torch, flags, loss_of)

    def step():
        nonlocal memories
        optimizer.zero_grad(set_to_none=True)
        loss, memories = loss_of(ids, expected, memories)
        loss.backward()
        if flags.clip > 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), flags.clip)
        optimizer.step()
        return loss.item()

    times = timed(step, flags.warmup, flags.steps)
    ms, tokens = statistics.median(times), flags.batch * flags.tgt_len
    return {"tokens_per_s": tokens / ms * 1e3, "ms_per_step": ms, "ms_min": min(times),
            "ms_max": max(times), "tgt_tokens": tokens}


def main():
    flags = parse_flags()
    torch = import_torch(flags)
    torch.manual_seed(flags.seed)
    result = train(torch, flags)
    result["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result.update(environment(torch))
    result["config"] = {field: getattr(flags, field) for field in FIELDS}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
