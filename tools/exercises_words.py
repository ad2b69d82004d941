"""The lines of `./learn try|watch|hint|list|status` in Chinese; the code says them in English."""

from __future__ import annotations

import re

from tools.terminal import say

# Each English line, with {names} for what varies, and the same line in Chinese. The first that
# fits is taken. A label takes ten columns in both languages.
LINES = {
    # list, status
    "{line}: {tries} tries, {hints} hints": "{line}：试过 {tries} 次，看过 {hints} 条提示",
    "{done} of {all} exercises pass, {points} of {total} points":
        "{all} 道练习通过了 {done} 道，满分 {total} 分，已得 {points} 分",
    "  points    larger exercises count more; tries and hints cost nothing":
        "  分值      题目越大分值越高；多试几次、看提示都不扣分",
    "  next      all done: {command}": "  下一步    全部完成：{command}",
    "  next      {command}": "  下一步    {command}",
    # try, watch
    "{id}: passed, {count} tests ({seconds} s)": "{id}：通过，{count} 项测试（{seconds} 秒）",
    "{id}: {bad} of {count} tests fail": "{id}：{count} 项测试中有 {bad} 项不通过",
    "{id}: does not compile": "{id}：无法编译",
    '{id}: crashed ({signal}) in the test "{case}"': "{id}：在测试“{case}”中崩溃（{signal}）",
    "{id}: crashed ({signal})": "{id}：崩溃（{signal}）",
    '{id}: stopped after {seconds} s in the test "{case}": a loop that never ends?':
        "{id}：在测试“{case}”中运行了 {seconds} 秒，已停止：是不是死循环？",
    "{id}: stopped after {seconds} s: a loop that never ends?":
        "{id}：运行了 {seconds} 秒，已停止：是不是死循环？",
    '{id}: the program ended in the test "{case}" before the tests did (exit?)':
        "{id}：程序在测试“{case}”中提前退出（用了 exit？）",
    "{id}: the program ended before the tests did (exit?)":
        "{id}：测试还没做完，程序就退出了（用了 exit？）",
    "{id}: stopped: it printed more than {size} MiB": "{id}：输出超过 {size} MiB，已停止",
    "{id}: the report was tampered with": "{id}：测试报告被改动过",
    "{id}: {ran} tests ran, exercises.toml says {count}: test.cpp was changed":
        "{id}：运行了 {ran} 项测试，而 exercises.toml 里是 {count} 项：test.cpp 被改动过",
    "{id}: the line with {marker} is still there: repair the code below it, then delete that line":
        "{id}：含 {marker} 的那一行还在：请先改好它下面的代码，再删掉这一行",
    "{id}: still to be written: {place}": "{id}：还没有写：{place}",
    "{file} is gone": "{file} 不见了",
    "  building the engine and the precompiled header once, about half a minute …":
        "  首次使用，正在编译引擎和预编译头，约需半分钟 …",
    "  watching  save the file to try again, Ctrl-C to end":
        "  监视中    保存文件就会重新评判，按 Ctrl-C 结束",
    "  read      {file}": "  阅读      {file}",
    "  edit      {file}": "  修改      {file}",
    "  test      {case}": "  测试      {case}",
    "  threw     {message}": "  异常      {message}",
    "  looks like  {mistake}": "  像是      {mistake}",
    "  look at   the first line above; later errors often follow from it":
        "  看这里    上面第一行；后面的错误往往由它引起",
    "  look at   a vector of T numbers is laid along the last axis; make it a column:\n{code}":
        "  看这里    T 个数的向量会沿最后一个轴展开；请把它变成一列：\n{code}",
    "  look at   the shapes: dot wants (T, Dk) times (Dk, S); k is (S, Dk) and must be turned:\n"
    "{code}":
        "  看这里    形状：dot 要的是 (T, Dk) 乘 (Dk, S)；k 是 (S, Dk)，需要转置：\n{code}",
    "  look at   an index outside its array? Number (b, t, j) of a Tensor (B, T, D) stands at\n"
    "{code}":
        "  看这里    下标是否越界？形状 (B, T, D) 的 Tensor 的元素 (b, t, j) 位于\n{code}",
    # the comparison
    "  claim     {check}: this does not hold": "  断言      {check}：不成立",
    "  tensor    {check}": "  张量      {check}",
    "  actual    an empty Tensor: nothing was returned":
        "  实际      空的 Tensor：什么也没有返回",
    "  shape     expected {expected}   actual {actual}   (ok)":
        "  形状      期望 {expected}   实际 {actual}   （一致）",
    "  shape     expected {expected}   actual {actual}   (differ)":
        "  形状      期望 {expected}   实际 {actual}   （不一致）",
    "  mismatch  {bad} of {all} elements ({share}), largest |diff| {gap}":
        "  不符      {all} 个元素中有 {bad} 个（{share}），最大差值 {gap}",
    "  first     {index}  expected {expected}  actual {actual}  |diff| {gap}":
        "  首个      {index}  期望 {expected}  实际 {actual}  差值 {gap}",
    "  row       expected  {cells}": "  该行      期望      {cells}",
    "            actual    {cells}": "            实际      {cells}",
    # hint, reset
    "{id}, hint {number} of {count}\n\n{text}": "{id}，提示 {number}/{count}\n\n{text}",
    "  (the last hint; the solution: {command})": "  （这是最后一条提示；看答案：{command}）",
    "  kept      your version is in {file}": "  已保留    你的版本在 {file}",
    "{id}: {file} is the skeleton again": "{id}：{file} 已恢复为最初的骨架",
}


def pattern(line: str) -> re.Pattern:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(line)), re.S)


PATTERNS = [(pattern(line), chinese) for line, chinese in LINES.items()]


def in_chinese(line: str) -> str:
    """The line in Chinese; itself when it is none of the above."""
    for english, chinese in PATTERNS:
        found = english.fullmatch(line)
        if found:
            return chinese.format(**found.groupdict())
    return line


def tell(line: str, zh: bool) -> None:
    say(in_chinese(line) if zh else line)
