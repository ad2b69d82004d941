"""The lines of the exercises' commands, and what every command refuses, in Chinese; the code says
them in English."""

from __future__ import annotations

import re

from tools.terminal import bold, painted, say, width, wrapped

# Each English line, with {names} for what varies, and the same line in Chinese. The first that
# fits is taken. A label takes ten columns in both languages.
LINES = {
    # list, status
    "{line}: tries {tries}, hints {hints}": "{line}：试过 {tries} 次，看过 {hints} 条提示",
    "{done} of {all} exercises pass, {points} of {total} points":
        "{all} 道练习通过了 {done} 道，满分 {total} 分，已得 {points} 分",
    "  marks     [x] passes   [~] tried, but does not pass as the file is now":
        "  标记      [x] 通过   [~] 试过，但文件现在的内容还没有通过",
    "  points    the number before the title; tries and hints cost nothing":
        "  分值      标题前的数；多试几次、看提示都不扣分",
    # quiz
    "{right} of {done} right": "答了 {done} 道，对 {right} 道",
    "  no        {why}": "  不对      {why}",
    "  right     {why}": "  对        {why}",
    "    one of A, B, C, D; q stops": "    请输入 A、B、C、D 之一；q 结束",
    "  {number}  {title}: {count} questions": "  {number}  {title}，{count} 道题",
    "key: {letters}": "答案：{letters}",
    "quiz: there is none of the chapter '{name}'": "quiz：没有“{name}”这一章的小测验",
    # teach
    "Exam {seed}: {total} marks in {minutes} minutes": "试卷 {seed}：{total} 分，{minutes} 分钟",
    "  {count}  {marks} marks, chapter {chapter}": "  {count}  {marks} 分，第 {chapter} 章",
    "the questions of these chapters do not reach {marks} marks": "这些章的题目不够 {marks} 分",
    "teach: no question has {marks} marks or fewer": "teach：没有 {marks} 分以内的题",
    # task
    "  points    {points}, when all {count} tests pass":
        "  分值      {points} 分，{count} 项测试全部通过才得分",
    "  next      all done: {command}": "  下一步    全部完成：{command}",
    "  next      {command}": "  下一步    {command}",
    # try, watch
    "{id}: passed, {count} tests ({seconds} s)": "{id}：通过，{count} 项测试（{seconds} 秒）",
    "{id}: fails {bad} of {count} tests": "{id}：{count} 项测试中有 {bad} 项不通过",
    "  pass      {case}": "  通过      {case}",
    "  FAIL      {case}": "  未通过    {case}",
    "  not run   {count} more": "  未运行    还有 {count} 项",
    '  prints    in the test "{case}":': "  打印      在测试“{case}”中：",
    '  prints    in the test "{case}", and in {count} more:':
        "  打印      在测试“{case}”中（另有 {count} 项测试中也有打印）：",
    "  prints    before the first test:": "  打印      在第一项测试之前：",
    "            … {count} lines more …": "            …… 还有 {count} 行 ……",
    "{id}: does not compile": "{id}：无法编译",
    "{id}: {file} does not define {name}": "{id}：{file} 里没有定义 {name}",
    "  look at   {file}: the name and the types must be as they are declared there":
        "  看这里    {file}：名字和类型必须与那里的声明一致",
    "  look at   line {line} of your file led there": "  看这里    错误由你的文件第 {line} 行引起",
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
    "{id}: stopped: its numbers take more than {size} MiB": "{id}：数值超过 {size} MiB，已停止",
    "{id}: the report was tampered with": "{id}：测试报告被改动过",
    "{id}: its test.cpp does not work:": "{id}：test.cpp 运行不了：",
    "{id}: {ran} tests ran, exercises.toml says {count}: test.cpp was changed":
        "{id}：运行了 {ran} 项测试，而 exercises.toml 里是 {count} 项：test.cpp 被改动过",
    "{id}: the line with {marker} is still there: repair the code below it, then delete that line":
        "{id}：含 {marker} 的那一行还在：请先改好它下面的代码，再删掉这一行",
    "{id}: still to be written": "{id}：还没有写",
    "{file} is gone": "{file} 不见了",
    "{file} is a folder; the file with your code is wanted":
        "{file} 是一个文件夹；这里应当是写着你的代码的文件",
    "building the engine, which is done once": "正在编译引擎，只需一次",
    "compiling the tests": "正在编译测试",
    "compiling your file and running its tests": "正在编译你的文件并运行测试",
    "comparing with the known mistakes": "正在与已知的错误对比",
    "  watching  save the file to try again, Ctrl-C to end":
        "  监视中    保存文件就会重新评判，按 Ctrl-C 结束",
    "  keys      h hint   t task   s solution   n next   l list   q end":
        "  按键      h 提示   t 题目   s 答案   n 下一题   l 列表   q 结束",
    "  section   {page}": "  章节      {page}",
    "  {bar}  {share} % of the points": "  {bar}  得分 {share} %",
    "{id}: as it came": "{id}：还没有动过",
    "{id}: fails": "{id}：不通过",
    "{id}: does not compile": "{id}：不能编译",
    "{id}: passes": "{id}：通过",
    "none of the files was changed yet": "还没有改过任何一个文件",
    "{passing} of {mine} that you changed pass": "改过的 {mine} 道中，{passing} 道通过",
    "'{word}' is in the titles of {ids}": "标题里有“{word}”的是 {ids}",
    "  read      {command}, or {file}": "  阅读      {command}，或者 {file}",
    "  read      {section}": "  请再读    {section}",
    "  edit      {file}": "  修改      {file}",
    "  test      {case}": "  测试      {case}",
    "  threw     {message}": "  异常      {message}",
    "  looks like  the code as it came: nothing in it was repaired yet":
        "  像是      题目给出的原代码：还没有改过任何一处",
    "  looks like  at least: {mistakes}": "  像是      至少有：{mistakes}",
    "  looks like  {mistake}": "  像是      {mistake}",
    "  resembles  {mistake} (the same numbers, but not in every test)":
        "  类似      {mistake}（只有部分测试的数值相同）",
    "  look at   the first line above; later errors often follow from it":
        "  看这里    上面第一行；后面的错误往往由它引起",
    "  look at   a vector of T numbers is laid along the last axis; make it a column:\n{code}":
        "  看这里    T 个数的向量会沿最后一个轴展开；请把它变成一列：\n{code}",
    "  look at   a vector is laid along the last axis, which must be as long as the vector":
        "  看这里    向量会沿最后一个轴展开，所以最后一个轴必须与它等长",
    "  look at   + - * / work element by element and want equal shapes; the product of matrices "
    "is\n{code}":
        "  看这里    + - * / 逐元素运算，两边形状必须相同；矩阵乘积是\n{code}",
    "  look at   the shapes: dot wants (T, K) times (K, S); transpose the one that does not fit:\n"
    "{code}":
        "  看这里    形状：dot 要的是 (T, K) 乘 (K, S)；请把方向不对的那个转置：\n{code}",
    "  look at   the tape knows no way from the loss to any parameter: detach, or numbers written "
    "by hand":
        "  看这里    tape 上没有从损失通往任何参数的路：用了 detach，或手工写入了数值",
    "  look at   a + b repeats the smaller of the two, b: the larger one stands first":
        "  看这里    a + b 会重复两者中较小的 b：大的写在前面",
    "  look at   these are the numbers of {check}: two results are swapped":
        "  看这里    这些是 {check} 的数值：两个结果放反了",
    "  look at   rows and columns are swapped: this is the transpose of what is expected":
        "  看这里    行列颠倒了：这是期望结果的转置",
    "  look at   NaN: 0 / 0, inf - inf, or a number that was never written (new memory is full of "
    "NaN)":
        "  看这里    NaN：0 / 0、inf - inf，或是从未写入的数（新内存里全是 NaN）",
    "  look at   every number has the wrong sign": "  看这里    每个数的符号都反了",
    "  look at   every number is {factor} times the expected one":
        "  看这里    每个数都是期望值的 {factor} 倍",
    "  look at   every number is the expected one plus {gap}":
        "  看这里    每个数都等于期望值加 {gap}",
    "  look at   the right numbers, but in other places":
        "  看这里    数值都对，位置不对",
    "  look at   an index outside its array? The first is 0, the last is one less than the size":
        "  看这里    下标是否越界？第一个是 0，最后一个比长度小 1",
    "  look at   an index outside its array? Number (b, t, j) of a Tensor (B, T, D) stands at\n"
    "{code}":
        "  看这里    下标是否越界？形状 (B, T, D) 的 Tensor 的元素 (b, t, j) 位于\n{code}",
    "  look at   line {line}: a reduction with keep_dims inside an expression is read past its "
    "end; give it a line and a type of its own:\n{code}":
        "  看这里    第 {line} 行：表达式里带 keep_dims 的归约会读到末尾之外；请让它单独成行，并写明类型："
        "\n{code}",
    "  look at   line {line}: auto keeps the expression, not its numbers, and computes it again at "
    "each use; give it a type:\n{code}":
        "  看这里    第 {line} 行：auto 存下的是表达式而不是数，每次用到都重新计算；请写明类型：\n{code}",
    "  look at   line {line}: an unsigned number is never below 0, so the loop goes on past 0:\n"
    "{code}":
        "  看这里    第 {line} 行：无符号数永远不小于 0，循环到 0 不会停；请写成：\n{code}",
    "  look at   line {line}: integer division drops the remainder, 1 / 2 is 0; make one of them a "
    "float:\n{code}":
        "  看这里    第 {line} 行：整数相除会舍去余数，1 / 2 得 0；请把其中一个转成 float：\n{code}",
    "  look at   both sides of {name} must have one type; say which:\n{code}":
        "  看这里    {name} 的两个参数类型必须相同；请写明是哪一种：\n{code}",
    "  look at   the numbers in the braces must have one type:\n{code}":
        "  看这里    花括号里的数类型必须相同：\n{code}",
    "  look at   a reduction is a number once it is called, with ():\n{code}":
        "  看这里    归约要加 () 求值，才是一个数：\n{code}",
    # what was typed wrongly, and what is missing
    "there is no exercise '{id}'; the nearest are {ids}": "没有练习“{id}”；最接近的是 {ids}",
    "which exercise of chapter {chapter}? There are {ids}": "第 {chapter} 章的哪一道练习？有 {ids}",
    "there is no chapter {chapter}; there are 0 to {last}":
        "没有第 {chapter} 章；共有第 0 至 {last} 章",
    "{command}: one exercise at a time": "{command}：一次只能处理一道练习",
    "reset: which exercise?": "reset：恢复哪一道练习？",
    "another ./learn watch is running here; end it with Ctrl-C, or judge once":
        "这里已有一个 ./learn watch 在运行；请按 Ctrl-C 结束它，或者只评判一次",
    "{id} does not pass yet; its solution is shown afterwards, or with --spoiler":
        "{id} 还没有通过；通过之后才显示答案，也可以加 --spoiler 直接看",
    "{file} cannot be written ({error}); exercises need a checkout of your own":
        "{file} 无法写入（{error}）；做练习需要你自己的一份仓库",
    "build/ cannot be written to ({error}); exercises need a checkout of your own":
        "build/ 无法写入（{error}）；做练习需要你自己的一份仓库",
    "standard output cannot be written ({error})": "标准输出无法写入（{error}）",
    "{path} cannot be written ({error})": "{path} 无法写入（{error}）",
    "  everything is written below build/ and out/: they need room, and a checkout of your own":
        "  所有文件都写在 build/ 和 out/ 之下：磁盘要有空间，仓库要是你自己的一份",
    "standard output is closed": "标准输出已关闭",
    "{compiler} is not installed": "没有安装 {compiler}",
    "the engine does not compile:": "引擎无法编译：",
    "interrupted": "已中断",
    "'{word}' is not a command; the nearest is {command}":
        "没有“{word}”这条命令；最接近的是 {command}",
    "  ./learn --help lists them all": "  运行 ./learn --help 查看全部命令",
    "chapter: which one? There are {names}": "chapter：哪一章？有 {names}",
    "chapter '{name}': no such chapter; did you mean {near}?":
        "chapter：没有“{name}”这一章；是不是 {near}？",
    "chapter '{name}': no such chapter; there are {names}":
        "chapter：没有“{name}”这一章；有 {names}",
    "{file} is not here": "这里没有 {file}",
    "{name}: cannot be started: {error}": "{name}：无法启动：{error}",
    "{command}: exit code {code}": "{command}：退出码 {code}",
    "the engine cannot be joined:": "引擎无法链接：",
    "exercises.toml:{line}: neither [[exercise]] nor name = value: {text}":
        "exercises.toml:{line}：既不是 [[exercise]]，也不是“名字 = 值”：{text}",
    "exercises.toml names no exercise": "exercises.toml 里没有练习",
    # setting up
    "chapters/ holds no program: is this the whole repository?":
        "chapters/ 里没有程序：这是完整的仓库吗？",
    "This is not Debian or Ubuntu, so install what these Debian packages hold, then type ./learn "
    "again:":
        "这里不是 Debian 或 Ubuntu，请自行安装与下列 Debian 软件包相当的软件，再运行 ./learn：",
    "This is not Debian or Ubuntu: it needs what these Debian packages hold:":
        "这里不是 Debian 或 Ubuntu：需要与下列 Debian 软件包相当的软件：",
    "Packages are missing, and this is neither root nor a user with sudo. As root, type":
        "缺少软件包，而当前用户既不是 root，也不能使用 sudo。请以 root 身份运行",
    "then ./learn again.": "然后再运行 ./learn。",
    "sudo was refused. It was needed for:": "sudo 被拒绝。需要用它运行：",
    "apt-get failed ({title}). Its last lines, from {file}:":
        "apt-get 失败（{title}）。{file} 的最后几行：",
    "To try it by hand, as root: {command}": "可以 root 身份手工再试：{command}",
    "CMake cannot work below a path that holds a \": {path}": "CMake 不能用含有 \" 的路径：{path}",
    "  move or rename the folder, then type ./learn again":
        "  请移动文件夹或改名，再运行 ./learn",
    "Configuring failed. From {file}:": "配置失败。摘自 {file}：",
    "The build failed. The first error, from {file}:": "编译失败。{file} 里的第一个错误：",
    # data, grade
    "{file}:{line}: no tab between two sentences": "{file}:{line}：两句之间没有制表符",
    "{file}: only {count} pairs, too few to hold out any":
        "{file}：只有 {count} 个句对，太少，无法留出验证集和测试集",
    "{folder} holds no folders; one per student is wanted":
        "{folder} 里没有文件夹；应当每个学生一个",
    "grade: the name of the folder is empty": "grade：文件夹的名字是空的",
    "grade: {name} is no folder": "grade：{name} 不是文件夹",
    "grade: --sandbox {kind} does not work here (is it installed, and are user namespaces "
    "allowed?)":
        "grade：--sandbox {kind} 在这里不能用（装了吗？允许用户命名空间吗？）",
    "grade: {file} is not here; grading needs a whole checkout":
        "grade：这里没有 {file}；批改需要完整的仓库",
    "{id}: the solution itself fails: {error}": "{id}：答案本身就不通过：{error}",
    # the bare command, test, doctor, data, bench, site
    "Setting up": "准备",
    "Lessons": "各章",
    "configuring": "配置",
    "configured": "已配置",
    "building": "编译",
    "built": "已编译",
    "package lists": "软件包列表",
    "packages": "软件包",
    "  installing {packages}": "  安装 {packages}",
    "  {folder} was made in another folder: making it anew":
        "  {folder} 是在别的文件夹里生成的，现在重新生成",
    "  there is no {package} here: {without}": "  这里没有 {package}：{without}",
    "the tests of pages will be skipped": "跳过网页的测试",
    "the live page is left out": "不生成现场网页",
    "training the model": "训练模型",
    "trained the model": "已训练模型",
    "done": "完成",
    "FAILED: ": "失败：",
    "exit {code}": "退出码 {code}",
    "killed by signal {number}": "被信号 {number} 终止",
    "Transformer by Hand: {count} lesson in {seconds} s": "手写 Transformer：{count} 章，用时 {seconds} 秒",
    "Transformer by Hand: {count} lessons in {seconds} s":
        "手写 Transformer：{count} 章，用时 {seconds} 秒",
    "  failed: {names}": "  失败：{names}",
    "To look at": "可以看",
    "every lesson and its pictures ({count}) on one page": "一页看完各章和全部图片（{count} 张）",
    "one lesson as text": "一章的文字输出",
    "Next": "接下来",
    "read one lesson again, in the terminal": "在终端里再读一章",
    "train a translator of your own": "训练自己的翻译模型",
    "train a language model of your own": "训练自己的语言模型",
    "real corpora: which are here, where to find them": "真实语料：这里有哪些，到哪里去找",
    "the proofs: gradients, parity with PyTorch, the rules":
        "全部检验：梯度、与 PyTorch 一致、各项规则",
    "  {names} is left out for the programs run here: it slows OpenBLAS":
        "  运行程序时不带 {names}：它会拖慢 OpenBLAS",
    "0 tests ran: that is a failure": "没有运行任何测试：这算失败",
    "{passed} passed, {failed} failed, {skipped} skipped":
        "{passed} 项通过，{failed} 项失败，{skipped} 项跳过",
    "{passed} passed, {failed} failed": "{passed} 项通过，{failed} 项失败",
    "ctest wrote no report: 0 tests ran": "ctest 没有写出报告：没有运行任何测试",
    "Everything that is needed is here. Next: ./learn": "需要的都齐了。接下来：./learn",
    "Missing, and what to type:": "缺少的，以及该输入什么：",
    "All of it at once: ./learn test": "一次装全：./learn test",
    "install what Debian's package {name} holds": "安装与 Debian 软件包 {name} 相当的软件",
    "ok": "有",
    "MISS": "缺",
    "slow": "慢",
    "not found": "没有找到",
    "not installed": "没有安装",
    "not Debian or Ubuntu: cannot look them up": "不是 Debian 或 Ubuntu，无法查询",
    "untried: nothing here was ever built there. What it would need:":
        "没有试过：这里的程序从未在那上面编译过。需要的有：",
    "xtensor and xtensor-blas, of versions that fit each other: Homebrew has no":
        "版本相配的 xtensor 与 xtensor-blas：Homebrew 没有",
    "xtensor-blas, conda-forge has both": "xtensor-blas，conda-forge 两者都有",
    "cores": "核心",
    "{count}, of which the build uses {used}": "{count} 个，编译时用 {used} 个",
    "memory": "内存",
    "{size} GiB free": "空闲 {size} GiB",
    "not found: no GPU; --device cuda-emulated runs its kernels all the same":
        "没有找到：不能用 GPU；--device cuda-emulated 照样能运行它的核函数",
    "found": "有",
    "comes with the toolkit": "随工具包提供",
    "not with the toolkit: matrix products on a GPU would be slow. To have it:":
        "工具包里没有：GPU 上的矩阵乘法会很慢。要装上它：",
    "libopenblas.so.0 does not load": "libopenblas.so.0 无法加载",
    "OpenBLAS build": "OpenBLAS 的编译选项",
    "{names} is set, which can halve the speed of matrix products;":
        "设了 {names}，矩阵乘法可能慢一半；",
    "./learn leaves it out; for programs you start yourself: unset {names}":
        "./learn 运行时会去掉它；自己启动程序时请先：unset {names}",
    "programs": "程序",
    "{built} of {all} chapters are built; to build and run them all: ./learn":
        "{all} 章编译了 {built} 章；要全部编译并运行：./learn",
    "{built} of {all} chapters are built": "{all} 章编译了 {built} 章",
    "corpora": "语料",
    "none (only training on real text needs one)": "没有（只有用真实文本训练时才需要）",
    "in {folder}; more: ./learn data": "在 {folder}；详见：./learn data",
    "Corpora in {folder} ($XF_DATA names another place)":
        "{folder} 里的语料（可用 $XF_DATA 指定别处）",
    "from {source}": "来源 {source}",
    "licence: ": "许可：",
    "photo captions, English-German/French/Czech": "图片说明，英—德、法、捷克语",
    "none named; images follow Flickr's terms: research and education":
        "未注明；图片依 Flickr 的条款：用于研究与教学",
    "everyday sentences, English-Chinese": "日常句子，英—中",
    "CC-BY 2.0 France; the third column names each author":
        "CC-BY 2.0（法国）；第三列是每句的作者",
    "short sentences, English-Japanese": "短句，英—日",
    "none named; from the Tanaka corpus (Tatoeba: CC-BY 2.0 France)":
        "未注明；出自田中语料库（Tatoeba：CC-BY 2.0 法国）",
    "Shakespeare's plays, for language models": "莎士比亚戏剧，用于语言模型",
    "the text is out of copyright": "原文已无版权",
    "Wall Street Journal, word by word": "《华尔街日报》，逐词",
    "the text is the Linguistic Data Consortium's: use it, do not pass it on":
        "文本属于 Linguistic Data Consortium：可以使用，不得转发",
    "Wikipedia articles": "维基百科条目",
    "none named; Wikipedia's text is CC-BY-SA": "未注明；维基百科的文本为 CC-BY-SA",
    "  {files}: {sizes} pairs;": "  {files}：{sizes} 个句对；",
    "  no sentence of valid or test, on either side, is in another part":
        "  valid 与 test 里的句子，无论哪一边，都不出现在其他部分",
    "  pair {number}: {ms} ms a step; {ratios}": "  第 {number} 对：每步 {ms} 毫秒；{ratios}",
    "  pair {number}: {ratio}x": "  第 {number} 对：{ratio} 倍",
    # bench: its table, and the files beside it
    "| case | ours, tokens/s | PyTorch, tokens/s | ratio | ratio to torch.compile | "
    "ours, ms a step | of sgemm peak | memory, MB (ours / PyTorch) | PyTorch's settings |":
        "| 项目 | 本项目，词元/秒 | PyTorch，词元/秒 | 比值 | 与 torch.compile 的比值 | 本项目，毫秒/步 "
        "| 占 sgemm 峰值 | 内存 MB（本项目 / PyTorch） | PyTorch 的设置 |",
    "| case | fast, tokens/s | same, tokens/s | same to fast |":
        "| 项目 | fast，词元/秒 | same，词元/秒 | same 与 fast 之比 |",
    "train {preset}, ragged, dropout {rate}": "训练 {preset}，长短不一，dropout {rate}",
    "train {preset}, dropout {rate}": "训练 {preset}，dropout {rate}",
    "greedy, key/value cache, batch {batch}": "贪心解码，KV 缓存，批大小 {batch}",
    "  PyTorch: {setting}": "  PyTorch：{setting}",
    "as it comes": "默认设置",
    "memory kept": "不归还内存",
    "threads that spin": "线程空转",
    "threads that sleep": "线程休眠",
    "threads pinned": "线程绑定核心",
    "AVX-512 in MKL": "MKL 用 AVX-512",
    "OpenMP's OpenBLAS": "OpenMP 版 OpenBLAS",
    "Adam fused": "融合的 Adam",
    "Adam loop": "逐个参数的 Adam",
    "key/value cache preallocated": "预先分配 KV 缓存",
    "tokens/s": "词元/秒",
    "does not run": "不能运行",
    "kept": "保留",
    "# This code and PyTorch": "# 本项目与 PyTorch",
    "system": "系统",
    "ours": "本项目",
    "variables": "环境变量",
    "{cpu}, {cores} cores, {threads} threads used by each side":
        "{cpu}，{cores} 核，双方各用 {threads} 个线程",
    "{commit}, OpenBLAS kernel {kernel}, sgemm peak {peak} GFLOP/s (2048^3)":
        "{commit}，OpenBLAS 的 kernel {kernel}，sgemm 峰值 {peak} GFLOP/s（2048^3）",
    "{torch} on Python {python}, BLAS {blas}, ATen {aten}":
        "{torch}，Python {python}，BLAS {blas}，ATen {aten}",
    "- torch.compile gave no figure for {case}: {reason}":
        "- torch.compile 在“{case}”上没有结果：{reason}",
    "Each case: {count} pairs of runs, the two sides in turn; a ratio is our tokens per second "
    "divided by PyTorch's in one pair: the median, then the lowest and the highest.":
        "每项 {count} 对，双方轮流运行；比值是一对之中本项目每秒的词元数除以 PyTorch 的：先写中位数，再写最小与最大。",
    "Only real tokens count, never padding.": "词元只计真实的，填充一律不计。",
    "ratios": "比值",
    "tokens per second, this code divided by PyTorch (1 = as fast)":
        "每秒词元数，本项目除以 PyTorch（1 表示一样快）",
    "against {other}": "与 {other} 相比",
    "  torch.compile gave nothing: {reason}": "  torch.compile 没有结果：{reason}",
    "In {folder}: {files}": "{folder} 里有：{files}",
    "bench: --only {names} is in none of the names:": "bench：--only {names} 不在下列名字里：",
    "bench: --threads, --pairs and --trial-steps are at least 1":
        "bench：--threads、--pairs 和 --trial-steps 至少是 1",
    "bench: {command}: not done in {seconds} s": "bench：{command}：{seconds} 秒之内没有完成",
    "bench: there is nothing to compare with: {python} cannot import torch":
        "bench：没有可以比较的对象：{python} 不能 import torch",
    "  To install it aside, and to compare:": "  要单独安装并比较：",
    "  This code alone: ./learn bench train --preset multi30k":
        "  只测这里的程序：./learn bench train --preset multi30k",
    "bench: {case}: the two sides differ in {name}: {ours} here, {theirs} in PyTorch":
        "bench：{case}：两边的 {name} 不同：这里是 {ours}，PyTorch 是 {theirs}",
    "{count} pages in {seconds} s: {file}": "{count} 页，用时 {seconds} 秒：{file}",
    "making an environment": "建立环境",
    "installing Sphinx": "安装 Sphinx",
    "printing {file}": "打印 {file}",
    "printed {file}": "已打印 {file}",
    "chromium printed no PDF; see {file}": "chromium 没有打印出 PDF；见 {file}",
    "the sources' pages:": "源代码的页面：",
    "the {language} pages:": "{language} 的页面：",
    "chapter 7's lesson failed, which trains the live page's model: {file}":
        "为现场网页训练模型的第 7 章程序失败：{file}",
    "{command}: unrecognized arguments: {words}": "{command}：没有 {words} 这样的参数",
    "{command}: the following arguments are required: {names}": "{command}：缺少 {names}",
    "{command}: argument {flag}: expected one argument": "{command}：{flag} 后面缺少一个值",
    "{command}: argument {flag}: invalid choice: {value} (choose from {names})":
        "{command}：{flag}：没有 {value}；可选的有 {names}",
    "{command}: argument {flag}: not allowed with argument {other}":
        "{command}：{flag} 不能与 {other} 同时使用",
    "{command}: argument {flag}: invalid int value: {value}": "{command}：{flag}：{value} 不是整数",
    "{command}: argument {flag}: invalid float value: {value}": "{command}：{flag}：{value} 不是数",
    "{command}: argument {flag}: ignored explicit argument {value}":
        "{command}：{flag} 后面不能写值：{value}",
    "  ./learn {command} --help lists what there is": "  ./learn {command} --help 列出全部用法",
    "{name}: ended with {code}: {text}": "{name}：以 {code} 结束：{text}",
    "{name}: ctest wrote no report; see {file}": "{name}：ctest 没有写出报告；见 {file}",
    "{what} failed; the end of {file}:": "{what} 失败；{file} 的末尾：",
    # docs
    "  rewritten: {file}": "  已改写：{file}",
    "snippet {where}: there is no file {file}": "snippet {where}：没有文件 {file}",
    "snippet {where}: {error}": "snippet {where}：{error}",
    "findings: {program} has no line that begins with =>": "findings：{program} 没有以 => 开头的行",
    "output: {program} has no section {number}": "output：{program} 没有第 {number} 节",
    "output: {text}: give a program, a section and, if needed, two limits":
        "output：{text}：请写程序、节，需要时再写两个界限",
    "output: section {number} of {program} has no lines from '{first}' to '{last}'":
        "output：{program} 第 {number} 节没有从“{first}”到“{last}”的行",
    "picture {asked}: a picture with alternative text, ![…](…), must follow":
        "picture {asked}：后面必须是带替代文字的图片 ![…](…)",
    "picture {asked}: there is none; ./learn docs --record {program} draws it":
        "picture {asked}：还没有；用 ./learn docs --record {program} 画出",
    "picture {asked}: the program does not draw {name}": "picture {asked}：程序没有画 {name}",
    "docs --translated: there is no {file}": "docs --translated：没有 {file}",
    "{page}: there is no {file}": "{page}：没有 {file}",
    # what the system says, in the brackets of a line above
    "No such file or directory": "没有这个文件或目录",
    "Permission denied": "没有权限",
    "Is a directory": "是一个目录",
    "Not a directory": "不是目录",
    "File exists": "文件已存在",
    "No space left on device": "磁盘已满",
    "Read-only file system": "文件系统只读",
    # the comparison
    "  claim     {check}: this does not hold": "  断言      {check}：不成立",
    "  tensor    {check}": "  张量      {check}",
    "  actual    no gradient arrived: the tape does not know the way there (detach, or numbers "
    "written by hand)":
        "  实际      没有梯度传到：tape 不知道通往那里的路（用了 detach，或手工写入了数值）",
    "  actual    an empty Tensor: nothing was returned":
        "  实际      空的 Tensor：什么也没有返回",
    "  shape     expected {expected}   actual {actual}   (ok)":
        "  形状      期望 {expected}   实际 {actual}   （一致）",
    "  shape     expected {expected}   actual {actual}   (differ)":
        "  形状      期望 {expected}   实际 {actual}   （不一致）",
    "  mismatch  {bad} of {all} elements ({share}), largest |diff| {gap}":
        "  不符      {all} 个元素中有 {bad} 个（{share}），最大差值 {gap}",
    "  value     expected {expected}  actual {actual}  |diff| {gap}":
        "  数值      期望 {expected}  实际 {actual}  差值 {gap}",
    "  first     {index}  expected {expected}  actual {actual}  |diff| {gap}":
        "  首个      {index}  期望 {expected}  实际 {actual}  差值 {gap}",
    "  row       expected  {cells}": "  该行      期望      {cells}",
    "            actual    {cells}": "            实际      {cells}",
    # hint, reset
    "{id}, hint {number} of {count}": "{id}，提示 {number}/{count}",
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
            words = found.groupdict()
            words.update(error=in_chinese(words.get("error", "")))
            return chinese.format(**words)
    return line


def in_language(line: str, zh: bool) -> str:
    return in_chinese(line) if zh else line


# A label, and how it is painted; other labels are dim.
LABEL = re.compile(r"  (\w+(?: \w+)?)  ")
MARK = re.compile(r"  \S*\[[x~ ]\]")
STYLES = {"pass": "green", "FAIL": "red", "threw": "red", "looks like": "yellow",
          "resembles": "yellow", "next": "bold"}
TEXT_COLUMN = 12  # where the text begins beside a label
TITLE_COLUMN = 16  # and beside a mark, an id and the points


def tell(line: str, zh: bool, style: str = "") -> None:
    """Says the line in the language of the learner, wrapped to the terminal. A style paints the
    whole line, otherwise its label is painted."""
    label = LABEL.match(line)
    for number, text in enumerate(in_language(line, zh).split("\n")):
        blanks = TITLE_COLUMN if MARK.match(text) else len(text) - len(text.lstrip())
        parts = wrapped(text, width(), TEXT_COLUMN if label and number == 0 else blanks)
        if style:
            parts = [painted(part, style) for part in parts]
        elif label and number == 0:
            parts[0] = paint_label(parts[0], STYLES.get(label[1], "dim"))
        say("\n".join(parts))


def paint_label(line: str, style: str) -> str:
    said, gap, rest = re.fullmatch(r"  (\S+(?: \S+)?)(  +|$)(.*)", line).groups()
    return "  " + painted(said, style) + gap + (bold(rest) if style == "bold" else rest)
