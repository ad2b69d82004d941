#!/usr/bin/env python3
"""The PyTorch side of `./learn bench`: a plain, hand-written encoder-decoder Transformer.

    torch_mt.py train  --preset multi30k --dropout 0.1 --ragged
    torch_mt.py decode --preset multi30k --batch 64

The presets, flags and random sentences are those of bin/bench. `train` times steps of forward,
label-smoothed loss, backward and Adam; padding never counts as tokens. `decode` times greedy
translations of --out-len tokens, encoder included. --sdpa, --compile, --adam and --kv choose
PyTorch's implementation, --device and --precision where and in which format it runs. The last
line printed is JSON. Without PyTorch, or without the device, the exit code is 77.

--processes N trains in N processes with --threads threads each (DistributedDataParallel over gloo),
which split the same sentences. --zero shards Adam's moments (ZeroRedundancyOptimizer).
"""

import argparse
import json
import math
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time

PRESETS = {
    #            d_model d_ff heads layers batch src tgt src_vocab tgt_vocab tie
    "toy": (512, 2048, 8, 6, 1, 7, 7, 10, 10, False),
    "multi30k": (256, 512, 8, 3, 128, 16, 16, 8000, 6000, False),
    "base": (512, 2048, 8, 6, 32, 32, 32, 8000, 8000, True),
}
FIELDS = ("d_model", "d_ff", "heads", "layers", "batch", "src_len", "tgt_len",
          "src_vocab", "tgt_vocab", "tie")
PAD, BOS = 0, 1


# ---- flags ---------------------------------------------------------------------------------------


def add_switch(parser, name, default, text):
    parser.add_argument("--" + name, dest=name.replace("-", "_"), action="store_true",
                        default=default, help=text)
    parser.add_argument("--no-" + name, dest=name.replace("-", "_"), action="store_false")


def parse_flags():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("train", "decode"):
        command = commands.add_parser(name)
        command.add_argument("--preset", choices=PRESETS, default="multi30k")
        for field in FIELDS[:-1]:
            command.add_argument("--" + field.replace("_", "-"), type=int)
        add_switch(command, "tie", None, "one matrix for the embeddings and the output projection")
        command.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
        command.add_argument("--seed", type=int, default=0)
        add_device(command)
        add_switch(command, "sdpa", False, "F.scaled_dot_product_attention")
        add_switch(command, "compile", False, "torch.compile")
        command.add_argument("--warmup", type=int, default=3 if name == "train" else 2)
        if name == "train":
            command.add_argument("--dropout", type=float, default=0.1)
            command.add_argument("--smoothing", type=float, default=0.1)
            add_switch(command, "ragged", False, "sentences of different lengths")
            command.add_argument("--adam", choices=("loop", "foreach", "fused"), default="foreach")
            command.add_argument("--steps", type=int, default=15)
            command.add_argument("--processes", type=int, default=1)
            add_switch(command, "zero", False, "Adam's moments in shares, of several processes")
        else:
            add_switch(command, "cache", True, "keep keys and values between steps")
            command.add_argument("--kv", choices=("cat", "preallocated"), default="cat",
                                 help="how the cache grows")
            command.add_argument("--out-len", type=int)
            command.add_argument("--runs", type=int, default=11)
    flags = parser.parse_args()
    for field, value in zip(FIELDS, PRESETS[flags.preset]):
        if getattr(flags, field) is None:
            setattr(flags, field, value)
    return flags


def add_device(command):
    command.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    command.add_argument("--precision", choices=("float32", "tf32", "bf16"), default="float32",
                         help="of the matrix products, on a GPU; bf16 by autocast")


def import_torch(flags):
    os.environ.setdefault("OMP_NUM_THREADS", str(flags.threads))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(flags.threads))
    try:
        import torch
    except ImportError as error:
        print(f"torch_mt.py: no PyTorch for {sys.executable}: {error}", file=sys.stderr)
        sys.exit(77)
    torch.set_num_threads(flags.threads)
    if flags.device == "cuda":
        if not torch.cuda.is_available():
            print("torch_mt.py: this PyTorch finds no GPU", file=sys.stderr)
            sys.exit(77)
        torch.set_default_device("cuda")
        torch.backends.cuda.matmul.allow_tf32 = flags.precision == "tf32"
    return torch


def in_precision(torch, flags, work):
    """The same work, with its matrix products in bfloat16 where requested."""
    if flags.precision != "bf16":
        return work

    def cast(*arguments):
        with torch.autocast(flags.device, torch.bfloat16):
            return work(*arguments)

    return cast


def waiting(torch, flags, work):
    """The same work, followed by a wait until the GPU has finished it."""
    def waited():
        result = work()
        if flags.device == "cuda":
            torch.cuda.synchronize()
        return result

    return waited


# ---- the model -----------------------------------------------------------------------------------


def build_model(torch, flags, dropout):
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.heads, self.d_k = heads, d // heads
            self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
            self.drop = nn.Dropout(dropout)

        def split(self, x):
            return x.view(x.size(0), x.size(1), self.heads, self.d_k).transpose(1, 2)

        def keys_values(self, x):
            return self.split(self.k(x)), self.split(self.v(x))

        def attend(self, x, k, v, forbidden):
            q = self.split(self.q(x))
            if flags.sdpa:
                allowed = None if forbidden is None else ~forbidden
                y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed,
                                                   dropout_p=dropout if self.training else 0.0)
            else:
                scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
                if forbidden is not None:
                    scores = scores.masked_fill(forbidden, -1e9)
                y = self.drop(scores.softmax(-1)) @ v
            return self.o(y.transpose(1, 2).reshape(x.shape))

        def forward(self, x, memory, forbidden):
            k, v = self.keys_values(memory)
            return self.attend(x, k, v, forbidden)

    class FeedForward(nn.Module):
        def __init__(self, d, d_ff):
            super().__init__()
            self.a, self.b, self.drop = nn.Linear(d, d_ff), nn.Linear(d_ff, d), nn.Dropout(dropout)

        def forward(self, x):
            return self.b(self.drop(F.relu(self.a(x))))

    class Layer(nn.Module):  # post-norm, as in the paper
        def __init__(self, d, d_ff, heads, cross):
            super().__init__()
            self.self_attention, self.norm_1 = Attention(d, heads), nn.LayerNorm(d)
            self.cross = Attention(d, heads) if cross else None
            self.norm_2 = nn.LayerNorm(d) if cross else None
            self.feed_forward, self.norm_3 = FeedForward(d, d_ff), nn.LayerNorm(d)
            self.drop = nn.Dropout(dropout)

        def forward(self, x, forbidden, memory=None, memory_forbidden=None):
            x = self.norm_1(x + self.drop(self.self_attention(x, x, forbidden)))
            if self.cross is not None:
                x = self.norm_2(x + self.drop(self.cross(x, memory, memory_forbidden)))
            return self.norm_3(x + self.drop(self.feed_forward(x)))

        def step(self, x, k, v, cross, memory_forbidden):
            x = self.norm_1(x + self.self_attention.attend(x, k, v, None))
            x = self.norm_2(x + self.cross.attend(x, *cross, memory_forbidden))
            return self.norm_3(x + self.feed_forward(x))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            d = self.d = flags.d_model
            self.source, self.target = (nn.Embedding(size, d)
                                        for size in (flags.src_vocab, flags.tgt_vocab))
            self.encoder, self.decoder = (
                nn.ModuleList(Layer(d, flags.d_ff, flags.heads, cross) for _ in range(flags.layers))
                for cross in (False, True))
            self.output = nn.Linear(d, flags.tgt_vocab, bias=not flags.tie)
            self.drop = nn.Dropout(dropout)
            for parameter in self.parameters():
                if parameter.dim() > 1:
                    nn.init.xavier_uniform_(parameter)
            if flags.tie:
                self.target.weight = self.output.weight = self.source.weight
            longest = 1 + max(flags.src_len, flags.tgt_len, getattr(flags, "out_len", 0) or 0)
            angles = torch.arange(longest)[:, None] * torch.exp(
                torch.arange(0, d, 2) * (-math.log(10000.0) / d))
            positions = torch.stack((angles.sin(), angles.cos()), -1).reshape(longest, d)
            self.register_buffer("positions", positions)

        def embed(self, table, ids, first=0):
            positions = self.positions[first:first + ids.size(1)]
            return self.drop(table(ids) * math.sqrt(self.d) + positions)

        def encode(self, source):
            forbidden = (source == PAD)[:, None, None, :]
            x = self.embed(self.source, source)
            for layer in self.encoder:
                x = layer(x, forbidden)
            return x, forbidden

        def decode(self, target, memory, memory_forbidden):
            t = target.size(1)
            causal = torch.ones(t, t, dtype=torch.bool).triu(1)
            forbidden = causal | (target == PAD)[:, None, None, :]
            x = self.embed(self.target, target)
            for layer in self.decoder:
                x = layer(x, forbidden, memory, memory_forbidden)
            return x

        def forward(self, source, target):
            return self.output(self.decode(target, *self.encode(source)))

    return Transformer()


def random_ids(torch, batch, length, vocabulary, flags, generator, ragged=False):
    """Drawn on the CPU, so that they are the same on every device."""
    ids = torch.randint(3, vocabulary, (batch, length), generator=generator, device="cpu")
    if ragged:
        sizes = torch.randint(max(1, length * 3 // 8), length + 1, (batch,), generator=generator,
                              device="cpu")
        sizes[0] = length
        ids[torch.arange(length, device="cpu")[None, :] >= sizes[:, None]] = PAD
    return ids.to(flags.device)


# ---- training ------------------------------------------------------------------------------------


def train(torch, flags):
    F = torch.nn.functional
    generator = torch.Generator("cpu").manual_seed(flags.seed)
    model = build_model(torch, flags, flags.dropout).train()
    options = {} if flags.adam == "loop" else {flags.adam: True}
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9,
                                 **options)
    source = random_ids(torch, flags.batch, flags.src_len, flags.src_vocab, flags, generator,
                        flags.ragged)
    target = random_ids(torch, flags.batch, flags.tgt_len + 1, flags.tgt_vocab, flags, generator,
                        flags.ragged)
    tokens = int((target[:, 1:] != PAD).sum())
    if flags.processes > 1:
        model, optimizer = in_processes(torch, flags, model, optimizer)
        rank = torch.distributed.get_rank()
        source, target = (ids[rank::flags.processes] for ids in (source, target))
    target_in, target_out = target[:, :-1].contiguous(), target[:, 1:].contiguous()
    # DDP divides the sum of the gradients by the number of processes.
    share = flags.processes * int((target_out != PAD).sum()) / tokens

    def loss_of(source, target_in, target_out):
        logits = model(source, target_in)
        return F.cross_entropy(logits.view(-1, flags.tgt_vocab), target_out.view(-1),
                               ignore_index=PAD, label_smoothing=flags.smoothing) * share

    if flags.compile:
        loss_of = torch.compile(loss_of)
    loss_of = in_precision(torch, flags, loss_of)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(source, target_in, target_out)
        loss.backward()
        optimizer.step()
        return loss.item()

    times = timed(step, flags.warmup, flags.steps)
    ms = statistics.median(times)
    return {"tokens_per_s": tokens / ms * 1e3, "ms_per_step": ms, "ms_min": min(times),
            "ms_max": max(times), "tgt_tokens": tokens, "src_tokens": int((source != PAD).sum())}


def in_processes(torch, flags, model, optimizer):
    model = torch.nn.parallel.DistributedDataParallel(model)
    if flags.zero:
        from torch.distributed.optim import ZeroRedundancyOptimizer
        optimizer = ZeroRedundancyOptimizer(
            model.parameters(), optimizer_class=torch.optim.Adam, lr=1e-4, betas=(0.9, 0.98),
            eps=1e-9, **({} if flags.adam == "loop" else {flags.adam: True}))
    return model, optimizer


# ---- decoding ------------------------------------------------------------------------------------


def grow_by_cat(torch, past, k, v, t, longest):
    grown = (k, v) if past is None else (torch.cat((past[0], k), 2), torch.cat((past[1], v), 2))
    return grown, grown


def grow_in_place(torch, past, k, v, t, longest):
    if past is None:
        past = tuple(x.new_empty(*x.shape[:2], longest, x.size(3)) for x in (k, v))
    past[0][:, :, t:t + 1], past[1][:, :, t:t + 1] = k, v
    return past, (past[0][:, :, :t + 1], past[1][:, :, :t + 1])


def decode_cached(torch, model, source, steps, grow, layer_step):
    memory, memory_forbidden = model.encode(source)
    cross = [layer.cross.keys_values(memory) for layer in model.decoder]
    past = [None] * len(cross)
    y = torch.full((source.size(0), 1), BOS)
    found = []
    for t in range(steps):
        x = model.embed(model.target, y, t)
        for i, layer in enumerate(model.decoder):
            k, v = layer.self_attention.keys_values(x)
            past[i], (k, v) = grow(torch, past[i], k, v, t, steps)
            x = layer_step(layer, x, k, v, cross[i], memory_forbidden)
        y = model.output(x[:, -1]).argmax(-1, keepdim=True)
        found.append(y)
    return torch.cat(found, 1)


def decode_plain(torch, model, source, steps):
    memory, memory_forbidden = model.encode(source)
    ys = torch.full((source.size(0), 1), BOS)
    for _ in range(steps):
        x = model.decode(ys, memory, memory_forbidden)
        ys = torch.cat((ys, model.output(x[:, -1]).argmax(-1, keepdim=True)), 1)
    return ys[:, 1:]


def decode(torch, flags):
    generator = torch.Generator("cpu").manual_seed(flags.seed)
    model = build_model(torch, flags, 0.0).eval()
    source = random_ids(torch, flags.batch, flags.src_len, flags.src_vocab, flags, generator)
    steps = flags.out_len or flags.tgt_len
    grow = grow_by_cat if flags.kv == "cat" else grow_in_place

    def one_step(layer, x, k, v, cross, forbidden):
        return layer.step(x, k, v, cross, forbidden)

    if flags.compile:
        one_step = torch.compile(one_step, dynamic=True)
    with torch.inference_mode():
        def cached():
            return decode_cached(torch, model, source, steps, grow, one_step)

        def plain():
            return decode_plain(torch, model, source, steps)

        agree = torch.equal(cached(), plain())
        if not agree:
            print("warning: cached and plain decoding differ (near-ties?)", file=sys.stderr)
        work = in_precision(torch, flags, cached if flags.cache else plain)
        times = timed(waiting(torch, flags, work), flags.warmup, flags.runs)
    ms, tokens = statistics.median(times), flags.batch * steps
    return {"tokens_per_s": tokens / ms * 1e3, "ms_per_step": ms / steps, "ms_per_batch": ms,
            "ms_min": min(times), "out_tokens": tokens, "out_len": steps, "cache_agrees": agree}


# ---- measuring -----------------------------------------------------------------------------------


def timed(work, warmup, runs):
    """The milliseconds of each of `runs` calls."""
    times = []
    for i in range(warmup + runs):
        start = time.perf_counter()
        work()
        if i >= warmup:
            times.append(1e3 * (time.perf_counter() - start))
    return times


def environment(torch):
    shown = torch.__config__.show()
    capability = [line.split()[-1] for line in shown.splitlines() if "CPU capability" in line]
    blas = [word.split("=")[1].rstrip(",") for word in shown.split()
            if word.startswith("BLAS_INFO=")]
    return {"torch": torch.__version__, "python": sys.version.split()[0],
            "blas": blas[0] if blas else "?", "aten": capability[0] if capability else "?",
            "threads": torch.get_num_threads(), "cuda": torch.version.cuda or ""}


def peak_rss_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def train_as(rank, flags, meeting, results):
    """One of several processes."""
    torch = import_torch(flags)
    torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank,
                                         world_size=flags.processes)
    torch.manual_seed(flags.seed)
    result = train(torch, flags)
    results.put((rank, result, peak_rss_mb()))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def train_in_processes(flags):
    context = multiprocessing.get_context("spawn")  # a fork would inherit PyTorch's threads
    results = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        processes = [context.Process(target=train_as, args=(rank, flags, f"{folder}/all", results))
                     for rank in range(flags.processes)]
        for process in processes:
            process.start()
        found = sorted((results.get() for _ in processes), key=lambda one: one[0])
        for process in processes:
            process.join()
    return {**found[0][1], "processes": flags.processes, "rss_mb_of_each":
            [round(rss) for _, _, rss in found]}


def main():
    flags = parse_flags()
    torch = import_torch(flags)
    torch.manual_seed(flags.seed)
    if flags.command == "train" and flags.processes > 1:
        result = train_in_processes(flags)
    else:
        result = train(torch, flags) if flags.command == "train" else decode(torch, flags)
    result["peak_rss_mb"] = max(result.get("rss_mb_of_each", [peak_rss_mb()]))
    result.update(environment(torch))
    result["config"] = {field: getattr(flags, field) for field in FIELDS}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
