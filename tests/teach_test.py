#!/usr/bin/env python3
"""The slides and lab sheets of `./learn teach`: is everything of the pages on the slides, alike in
both languages, and every exercise of the plan in a lab? tests/site_test.py has reveal.js show the
slides."""

from __future__ import annotations

import math
import os
import re
import unittest
from pathlib import Path

from support.checkout import LANGUAGES, ROOT, learn, read
from tools.book import site_book
from tools.exercises import manifest, task_text
from tools.teaching import decks, exam, lab, quiz, slides, weeks

PAGES = [week[0] for week in weeks.WEEKS]
ALL_WEEKS = [(week, language, zh) for language, zh in LANGUAGES for week in range(1, 11)]


def slides_of(week: int, zh: bool) -> list[slides.Slide]:
    return slides.slides_of(decks.lines_of(week, zh), "title")


def every_slide():
    """(week, slide) in both languages."""
    return ((week, slide) for week, _language, zh in ALL_WEEKS for slide in slides_of(week, zh))


def page(name: str, language: str) -> str:
    text = read(f"docs/{language}/{name}.md")
    for english, chinese in (("Exercises", "练习"), ("Where it comes from", "出处")):
        heading = english if language == "en" else chinese
        text = re.sub(rf"^## {heading}\n.*?(?=^## |\Z)", "", text, flags=re.M | re.S)
    return text


KNOWN_TEX = {*task_text.SIGNS, *task_text.ACCENTS, *task_text.NAMES, "text", "mathrm", "frac",
             "sqrt", "underbrace", "overline", "ln"}
FOLDED = re.compile(r"^<details>$.*?^</details>$", re.M | re.S)


class Slides(unittest.TestCase):
    def test_each_formula_picture_code_and_table_is_on_one_slide(self):
        for language, zh in LANGUAGES:
            of_page = {name: "" for name in PAGES}
            for week, name in enumerate(PAGES, 1):
                of_page[name] += "\n" + "\n".join(slide.shown for slide in slides_of(week, zh))
            for name, shown in of_page.items():
                text = FOLDED.sub("", page(name, language))
                for what, pattern in (("formula", r"^```math\n.*?^```$"), ("picture", r"^!\[.*$")):
                    for found in re.findall(pattern, text, re.M | re.S if what == "formula"
                                            else re.M):
                        self.assertEqual(1, shown.count(found), f"{language} {name}: {found[:80]}")
                code = re.findall(r"^```(?!math)\w+\n(.*?)^```$", text, re.M | re.S)
                parts = re.findall(r"^```\{code-block\} \w+\n\n(.*?)^```$", shown, re.M | re.S)
                self.assertEqual("".join(code), "".join(parts), (language, name))
                self.assertLessEqual(max(part.count("\n") for part in parts), slides.MOST_LINES)
                self.assertEqual(len(re.findall(r"(?<!\|\n)^\|.*\n\|[ :|-]+\|$", text, re.M)),
                                 len(re.findall(r"^\|[ :|-]+\|$", shown, re.M)), (language, name))

    def test_both_languages_have_the_same_slides(self):
        for week in range(1, len(PAGES) + 1):
            counts = [[(slide.level, slide.shown.count("![")) for slide in slides_of(week, zh)]
                      for _language, zh in LANGUAGES]
            self.assertEqual(*counts, week)

    def test_the_weeks_are_those_of_the_plan(self):
        plan = page("teaching", "en")
        rows = re.findall(r"^\| (\d+) \| (.*?) \|", plan, re.M)[:10]
        self.assertEqual([str(week) for week in range(1, 11)], [number for number, _ in rows])
        for (_number, said), name in zip(rows, PAGES):
            self.assertTrue(name in said or name == PAGES[-1] and "chapter 8" in said, said)

    def test_a_list_before_something_folded_is_on_a_slide(self):
        lines = ["Two switches.", "", "- **a**: one.", "- **b**: two.", "", "Stop here.", "",
                 "<details>", "<summary>s</summary>", "", "Hidden.", "", "</details>"]
        shown = [slide.shown for slide in slides.slides_of(lines, "title")]
        self.assertEqual(["- Two switches.\n- **a**: one.\n- **b**: two.", "Stop here."], shown)

    def test_the_question_of_a_chapter_is_on_a_slide(self):
        asked = 0
        for week, name in enumerate(PAGES, 1):
            for language, zh in LANGUAGES:
                top = page(name, language).partition(weeks.GOALS[zh])[0]
                shown = "\n".join(slide.shown for slide in slides_of(week, zh))
                for question in re.findall(r"\*\*[^*]+[?？]\*\*", top):
                    asked += week < 10
                    question = task_text.joined(question.splitlines())
                    self.assertEqual(week < 10, question in shown, question)
        self.assertGreaterEqual(asked, 18)

    def test_one_slide_has_all_goals_of_the_week_and_no_others(self):
        for week, _language, zh in ALL_WEEKS:
            goals = [slide.shown.split("\n") for slide in slides_of(week, zh)
                     if slide.shown.startswith(weeks.GOALS[zh])]
            self.assertEqual([[weeks.GOALS[zh], "", *(f"- {slides.without_links(goal)}" for goal
                                                    in weeks.goals(week, zh))]], goals, week)

    def test_no_slide_is_empty_or_links_to_a_page(self):
        for week, slide in every_slide():
            self.assertTrue(slide.shown.strip() and slide.heading, (week, slide))
            self.assertNotRegex(slide.shown, r"(?<!!)\[[^\]]+\]\((?!\d)[^)]*\.md")

    def test_what_a_page_folds_is_on_no_slide(self):
        asked = 0
        for language, zh in LANGUAGES:
            shown = {name: [] for name in PAGES}
            for week, name in enumerate(PAGES, 1):
                shown[name] += slides_of(week, zh)
            for name, found in shown.items():
                text = "\n".join(slide.shown for slide in found)
                unfolded = FOLDED.sub("", page(name, language)).splitlines()
                for fold in FOLDED.findall(page(name, language)):
                    for line in fold.splitlines():
                        if len(line) > 12 and not line.startswith("<") and line not in unfolded:
                            self.assertNotIn(line, text, (language, name))
                for slide in found:
                    if slide.pause:
                        asked += 1
                        self.assertNotRegex(slide.shown, r"```|!\[|^\|")
        self.assertGreaterEqual(asked, 10)

    def test_where_a_lecture_stops_it_shows_what_to_write(self):
        stops = 0
        for week, _language, zh in ALL_WEEKS:
            for slide in decks.of_week(week, zh):
                if slide.pause and re.search(r"\d\d-\d\d", slide.shown):
                    stops += 1
                    code = slide.shown.partition("```cpp\n")[2].partition("\n```")[0]
                    self.assertRegex(code, r"(?s)\w\(.*\);\Z", (week, slide.heading))
                    self.assertNotRegex(re.sub("//.*", "", code), "[{}]", (week, slide.heading))
                    self.assertLess(code.count("\n"), 16, (week, slide.heading))
        self.assertGreaterEqual(stops, 20)

    def test_bold_type_is_whole_on_every_slide(self):
        for week, slide in every_slide():
            text = re.sub(r"^```.*?^```$|`[^`]*`", "`", slide.shown, flags=re.M | re.S)
            for paragraph in re.split(r"\n\n|\n(?=- |\|)", text):
                rest = re.sub(r"\*\*(?! )(.+?)(?<! )\*\*(?![\w\u3400-\u9fff])|"
                              r"\*\*(?! )(.+?)(?<![ 。，：？！.?!])\*\*", "", paragraph, flags=re.S)
                self.assertNotIn("**", rest, (week, slide.heading, paragraph))

    def test_a_picture_has_the_sentence_that_announces_it_or_its_own(self):
        picture = "![Two blocks. Left: one; right: another](x.svg)\n"
        announced = "There are two kinds:"
        for before, said in ((announced, announced), ("Is it so? Yes.", "Two blocks"),
                             ("", "Two blocks")):
            first, = slides.slides_of([before, "", picture.strip()], "title")
            self.assertEqual(f"{said}\n\n{picture.strip()}", first.shown)
        alone, = slides.slides_of(["Some words.", "", "![Left: one](x.svg)"], "title")
        self.assertEqual("![Left: one](x.svg)", alone.shown)

    def test_a_point_is_more_than_its_lead_in(self):
        for week, slide in every_slide():
            for line in re.findall(r"^(?:- )?(\*\*[^*]+[。.]\*\*)$", slide.shown, re.M):
                self.assertNotIn(f"- {line}", slide.shown, week)

    def test_a_sentence_that_refers_back_does_not_stand_alone(self):
        before = "The mask says what is allowed."
        self.assertEqual(f"{before} These alone count:\n\n",
                         slides.lead_to([f"First. {before} These alone count:"]))
        self.assertEqual(f"{before} It is an input:\n\n",
                         slides.lead_to([before, "It is an input:"]))
        self.assertEqual("", slides.lead_to(["It is an input:"]))
        self.assertEqual("The new one:\n\n", slides.lead_to(["And the new one:"]))
        self.assertEqual("**The axis.** Look:\n\n",
                         slides.lead_to(["**The axis.** All is right. Look:"]))
        self.assertEqual("掩码规定谁可以看。它是输入：\n\n", slides.lead_to(["先说一句。掩码规定谁可以看。它是输入："]))
        for week, slide in every_slide():
            if "\n\n" in slide.shown:
                self.assertNotRegex(slide.shown, r"^(These|Its?|And|They|它|于是)\b")

    def test_notes_have_no_tex_and_no_links(self):
        for week, slide in every_slide():
            for note in slide.notes:
                text = re.sub(r"`[^`]*`", "", note)
                self.assertNotRegex(text, r"\$|\\[A-Za-z]|\]\(", week)
        for name in sorted(set(PAGES)):
            for found in re.findall(r"\$`([^`]+)`\$", page(name, "en") + page(name, "zh")):
                names = set(re.findall(r"\\([A-Za-z]+)", found))
                self.assertLessEqual(names, KNOWN_TEX, (name, found))
        self.assertEqual("See chapter 2: √D, below",
                         slides.for_notes("See [chapter 2](02_attention.md#x):\n$`\\sqrt{D}`$, "
                                          "[below](#y)"))

    def test_weeks_of_one_page_have_titles_of_their_own(self):
        for _language, zh in LANGUAGES:
            titles = [weeks.title_of(week, zh) for week in range(1, len(PAGES) + 1)]
            self.assertEqual(len(titles), len(set(titles)), titles)
            self.assertIn(titles[9], decks.deck(10, zh).splitlines()[0])
            self.assertIn(titles[9], weeks.title(10, zh))

    def test_the_last_slide_is_a_published_model_by_the_students_code(self):
        for _language, zh in LANGUAGES:
            last = decks.deck(10, zh).rpartition("\n## ")[2]
            self.assertIn("./learn mine generate --prompt", last)
            self.assertIn("通过你的代码" if zh else "through your code", last)
            self.assertNotIn("mine generate", decks.deck(9, zh))

    def test_sentences_are_not_cut_within_code_or_a_formula(self):
        self.assertEqual(["See `a. B`, e.g. this.", "And $`x. Y`$."],
                         slides.sentences("See `a. B`, e.g. this. And $`x. Y`$."))
        self.assertEqual(["第一句。", "第二句：`a。b`。"], slides.sentences("第一句。第二句：`a。b`。"))
        self.assertEqual(["**代价。** 一句。", "**后来。** 两句。"], slides.sentences("**代价。** 一句。**后来。** 两句。"))
        self.assertEqual(["**The cost.** One.", "**Later.** Two."],
                         slides.sentences("**The cost.** One. **Later.** Two."))


class Goals(unittest.TestCase):
    """The table on the page of teaching: each goal of a chapter, and what examines it."""

    @staticmethod
    def rows(language: str) -> dict[str, list[str]]:
        table = page("teaching", language).partition("<!-- goals -->")[2].partition("<!--")[0]
        found = re.findall(r"^\| ([^|]+) \| (1[:：].*) \|$", table, re.M)
        return {f"{int(chapter):02}": re.split(r"[;；] ?", goals) for chapter, goals in found}

    def test_every_goal_of_a_chapter_is_there(self):
        for language, zh in LANGUAGES:
            rows = self.rows(language)
            for path in sorted((ROOT / "docs" / language).glob("*.md")):
                text = read(path).partition(weeks.GOALS[zh])[2]
                if not text:
                    continue
                count = len(re.findall(r"^- ", text.split("\n\n")[1], re.M))
                self.assertEqual([str(i) for i in range(1, count + 1)],
                                 [re.match(r"\d+", goal)[0] for goal in rows[path.name[:2]]], path)

    def test_each_goal_is_examined_and_both_languages_name_the_same(self):
        ids = {one.id for one in manifest.manifest()}
        pool = {question.name for question in exam.pool(False)}
        asked = page("teaching", "en").partition("## With pen and paper")[2].partition("\n## ")[0]
        chapters = re.split(r"^\*\*(\d+) .*\*\*$", asked, flags=re.M)
        pen = {number + letter for number, text in zip(chapters[1::2], chapters[2::2])
               for letter in re.findall(r"^- \((\w)\)", text, re.M)}
        capstones = {one.id[0] for one in manifest.milestones()}
        known = ids | pen | {f"*{name}*" for name in pool} | capstones
        named = {}
        for language, _zh in LANGUAGES:
            named[language] = {chapter: [re.split(r", |、", re.sub(r"^\d+[:：] ?", "", goal))
                                         for goal in goals]
                               for chapter, goals in self.rows(language).items()}
        for chapter, goals in named["en"].items():
            questions = quiz.questions(quiz.pages(False)[chapter])[1]
            of_quiz = {f"quiz {number}" for number in range(1, len(questions) + 1)}
            for number, goal in enumerate(goals, 1):
                self.assertEqual(set(), set(goal) - known - of_quiz, (chapter, number))
                self.assertTrue(set(goal) - capstones, (chapter, number))
        self.assertEqual(list(named["en"].values()),
                         [[[each.replace("小测验", "quiz") for each in goal] for goal in goals]
                          for goals in named["zh"].values()])

    def test_a_question_with_pen_and_paper_has_an_answer(self):
        for language, heading in (("en", "With pen and paper"), ("zh", "纸笔题")):
            asked = page("teaching", language).partition(f"## {heading}")[2].partition("\n## ")[0]
            for question in re.split(r"^- ", asked, flags=re.M)[1:]:
                self.assertRegex(question.partition("\n\n")[0].rstrip(), r"\]$", question)


class Lectures(unittest.TestCase):
    @staticmethod
    def shown(language: str) -> list[str]:
        """Of each week what is shown in the lecture."""
        return re.findall(r"^\| \d+ \| [^|]* \| ([^|]*) \| [^|]* \| [\d½]+ \|$",
                          page("teaching", language), re.M)

    def test_each_lecture_takes_ninety_minutes_or_sixty(self):
        minutes = [[re.findall(r"[(（](\d+)/(\d+)(?: min| 分钟)?[)）]", row)
                    for row in self.shown(language)] for language, _zh in LANGUAGES]
        self.assertEqual(10, len(minutes[0]))
        self.assertEqual(*minutes)
        for week, (row, parts) in enumerate(zip(minutes[0], self.shown("en")), 1):
            self.assertEqual(len(parts.split("; ")), len(row), week)
            self.assertEqual([90, 60], [sum(map(int, column)) for column in zip(*row)], week)
            self.assertTrue(all(int(short) <= int(long) for long, short in row), week)

    def test_parts_without_minutes_are_of_the_page_and_hold_nothing_that_is_planned(self):
        for week, headings in weeks.NO_MINUTES.items():
            there = [line for _, line in decks.headings(decks.lines_of(week, False))]
            for heading in headings:
                self.assertIn(heading, there, week)
        for week in range(1, 11):
            skipped = {heading.lstrip("# ") for heading in weeks.NO_MINUTES.get(week, [])}
            planned = {slide.section for slide in decks.of_week(week, False)
                       if slide.heading in skipped} & set(weeks.planned(week))
            self.assertEqual(set(), planned, week)

    def test_the_parts_of_the_live_page_are_named(self):
        source = (ROOT / "live" / "page" / "scenes.js").read_text(encoding="utf-8")
        names = re.findall(r"'(\w+)'", re.search(r"SCENES = \[(.*?)\]", source, re.S)[1])
        for language, _zh in LANGUAGES:
            text = page("teaching", language)
            table = text.partition("<!-- scenes -->")[2].partition("<!-- /scenes")[0]
            self.assertEqual(names, re.findall(r"^\| `(\w+)` \| \d+ \|", table, re.M), language)
            for name in re.findall(r"#scene=([a-z_]+)&lecture=1", text):
                self.assertIn(name, names, language)


class Examples(unittest.TestCase):
    """Numbers that no program prints: those of two tables of chapter 8."""

    @staticmethod
    def table(language: str, first: str, name: str = "08_transformer_xl") -> list[list[str]]:
        rows = page(name, language).partition(first)[2].partition("\n\n")[0]
        return [[cell.strip().replace(",", "") for cell in row.split("|")[2:-1]]
                for row in rows.strip().splitlines()]

    def test_what_clusters_cost(self):
        for language, first in (("en", "50 % of the tokens |\n|---|--:|--:|--:|\n"),
                                ("zh", "占词元的 50 % |\n|---|--:|--:|--:|\n")):
            V, D, costs = 40000, 512, [[], [], []]
            for head, percent in ((V, 100), (1000, 95), (100, 50)):
                first_product = (head + (head < V)) * D
                besides = (V - head) * D
                for row, cost in zip(costs, (first_product, besides,
                                             first_product + besides * (100 - percent) / 100)):
                    row.append(f"{cost:.0f}" if cost else "")
            table = self.table(language, first)
            self.assertEqual(costs, [row[-3:] for row in table])

    def test_the_exponents_of_question_2h(self):
        found = []
        for first in (4, 64, 2048):
            points = [(math.log(T), math.log(4 * T * 64 ** 2 + 2 * T ** 2 * 64))
                      for T in (first, 2 * first, 4 * first, 8 * first)]
            mean_x, mean_y = (sum(column) / 4 for column in zip(*points))
            found.append(sum((x - mean_x) * (y - mean_y) for x, y in points)
                         / sum((x - mean_x) ** 2 for x, _ in points))
        for language, zh in LANGUAGES:
            said = lab.questions(3, zh)["2h"].partition("[")[2]
            self.assertEqual([f"{each:.2f}" for each in found],
                             re.findall(r"\d\.\d\d", said)[:3], language)

    def test_how_far_back_a_first_token_knows_of(self):
        def first_known(layer: int, at: int, T: int, M: int) -> int:
            """Of the states of a layer at this place: it was made with all of its segment."""
            begin = at // T * T
            return at if layer == 0 else first_known(layer - 1, begin - M, T, M)

        for language, last in (("en", "Tokens before the segment"), ("zh", "本段之前的词元数")):
            rows = page("08_transformer_xl", language).partition(last)[2].partition("\n\n")[0]
            found = [[int(cell) for cell in row.split("|")[1:-1]] for row in rows.splitlines()[2:]]
            self.assertEqual(4, len(found))
            for T, M, layers, reach in found:
                self.assertEqual(reach, 1000 * T - first_known(layers, 1000 * T, T, M), (T, M))

    def test_what_the_board_needs_of_the_row_of_games(self):
        e = [math.exp(score / math.sqrt(2)) for score in (4, 3, 1)]
        for language, _zh in LANGUAGES:
            said = re.search(r"^.*`total`.*$", page("02_attention", language), re.M)[0]
            self.assertEqual([f"{each:.2f}" for each in (*e, sum(e))],
                             re.findall(r"\d+\.\d\d", said), language)

    def test_losses_of_equal_windows(self):
        rows = [line.split(",") for line in (ROOT / "docs" / "results" / "logs" / "ablation.csv")
                .read_text(encoding="utf-8").splitlines()[1:]]
        means = [[f"{sum(losses) / 3:.3f}" for length in (16, 32, 64, 128)
                  for losses in [[float(row[-1]) for row in rows if row[:2] == [on, "relative"]
                                  and row[-2] == str(length)]]] for on in ("off", "on")]
        for language, _zh in LANGUAGES:
            self.assertEqual(means, self.table(language,
                                               "| 16 | 32 | 64 | 128 |\n|---|--:|--:|--:|--:|\n"))

    def test_where_the_shifted_cells_come_from(self):
        T, S, names = 3, 4, "abc"
        padded = [cell for row in names for cell in
                  ["0", *(f"$`{row}_{i}`$" for i in range(S))]][T:]
        for language, _zh in LANGUAGES:
            text = page("08_transformer_xl", language)
            rows = [[cell.strip().strip("()") for cell in row.split("|")[2:-1]]
                    for row in re.findall(r"^\| [012] \|.*(?:\$|\)) \|$", text, re.M)]
            self.assertEqual([padded[S * i:S * (i + 1)] for i in range(T)], rows)

    def test_what_is_left_of_four_tokens(self):
        p = [0.6, 0.25, 0.1, 0.05]
        lines = [p, [each ** 2 for each in p], p[:2], p[:3]]
        self.assertTrue(sum(p[:2]) < 0.9 <= sum(p[:3]))
        for language, _zh in LANGUAGES:
            table = self.table(language, "| | a | b | c | d |\n|---|--:|--:|--:|--:|\n",
                               "09_since_2017")
            self.assertEqual([[f"{each / sum(line):.3f}" for each in line] for line in lines],
                             [[cell for cell in row if cell] for row in table])


class Labs(unittest.TestCase):
    @staticmethod
    def plan(language: str) -> list[tuple[str, str]]:
        """Of each week what is handed in, and its hours."""
        return re.findall(r"^\| \d+ \| (?:.*?\| ){2}(.*?) \| ([\d½]+) \|$",
                          page("teaching", language), re.M)

    @staticmethod
    def choices(language: str) -> list[tuple[str, str, str]]:
        """Of what is chosen after the last week the page, the exercises, the hours."""
        table = page("teaching", language).partition("<!-- choices -->")[2].partition("<!--")[0]
        return re.findall(r"^\| \[.*?\]\((\w+)\.md\) \| (\d.*?) \| ([\d½]+) \|$", table, re.M)

    def test_lab_and_home_hold_the_weeks_exercises(self):
        for language, zh in LANGUAGES:
            self.assertEqual([sorted(lab.ID.findall(row)) for row, _ in self.plan(language)],
                             [sorted(row.exercises) for row in lab.rows(zh)], language)
            chosen = {name for _, row, _ in self.choices(language) for name in lab.ID.findall(row)}
            self.assertEqual({exercise.id for exercise in manifest.manifest()}, chosen.union(
                *(row.exercises for row in lab.rows(zh))),
                f"docs/{language}/teaching.md: each exercise is handed in in a week, done in its "
                "lab or at home, or chosen after the last week")

    @staticmethod
    def of_choice(part: str) -> int:
        """How many of the exercises that a part of a cell names are handed in."""
        chosen = re.search("(two|one) of|选(两|一)道", part)
        return len(lab.ID.findall(part)) if not chosen else (
            2 if "two" in chosen[0] or "两" in chosen[0] else 1)

    @staticmethod
    def hours(text: str) -> float:
        return float(text.replace("½", ".5"))

    @classmethod
    def stated(cls, name: str, language: str) -> float:
        """The hours to read a page, as its top states them."""
        pattern = (r"\*\*Time:\*\* about (½|\d½?) hours? to read" if language == "en"
                   else r"\*\*时间\*\*：阅读和运行约 (\S+) 小时")
        found = re.search(pattern, " ".join(page(name, language).split()))
        return cls.hours(found[1])

    @staticmethod
    def derived(text: str) -> float:
        """4,000 words an hour, and five minutes for each formula set apart."""
        return len(text.split()) / 4000 + len(re.findall(r"^```math$", text, re.M)) / 12

    def test_the_hours_to_read_follow_from_the_page_and_stand_in_the_readme(self):
        points: dict[str, int] = {}
        for exercise in manifest.manifest():
            place = Path(exercise.section).stem
            points[place] = points.get(place, 0) + exercise.points
        names = [path.stem for path in sorted((ROOT / "docs" / "en").glob("*.md"))
                 if "**Time:**" in read(path)]
        self.assertEqual(13, len(names))
        for name in names:
            said = self.stated(name, "en")
            self.assertAlmostEqual(said, self.derived(page(name, "en")), delta=0.3, msg=name)
            self.assertEqual(said, self.stated(name, "zh"), name)
            for language, readme in (("en", "README.md"), ("zh", "README.zh.md")):
                text = (ROOT / readme).read_text(encoding="utf-8")
                row = re.search(rf"\(docs/{language}/{name}\.md\).*?(?:\| |[(（])"
                                r"([\d½.]+) \+ ([\d½.]+)(?: \||[;；， ])", text)
                self.assertEqual([said, round(points[name] / 2) / 2],
                                 list(map(self.hours, row.groups())),
                                 f"{readme}, {name}: wanted are the hours to read and a quarter of "
                                 "an hour for each point of its exercises")

    def test_the_hours_are_those_of_the_pages_and_of_the_points(self):
        points = {exercise.id: exercise.points for exercise in manifest.manifest()}
        for language, _zh in LANGUAGES:
            for week, ((name, first, last), (row, said)) in enumerate(
                    zip(weeks.WEEKS, self.plan(language)), 1):
                part = "\n".join(decks.chosen(name, False, first, last))
                whole = "\n".join(decks.chosen(name, False, "", ""))
                need = self.stated(name, language) * self.derived(part) / self.derived(whole)
                for part in re.split(r"[;；] ?", row):
                    worth = [points[one] for one in lab.ID.findall(part)]
                    share = self.of_choice(part) / len(worth) if worth else 1
                    need += share * sum(worth) / 4
                self.assertEqual(self.hours(said), round(2 * need) / 2,
                                 f"docs/{language}/teaching.md: the hours of week {week}")
            for name, row, said in self.choices(language):
                need = sum(points[one] for one in lab.ID.findall(row)) / 4
                self.assertEqual(self.hours(said),
                                 self.stated(name, language) + round(2 * need) / 2, name)

    def test_what_may_be_left_out_is_a_part_of_the_page_and_names_its_questions(self):
        for language, zh in LANGUAGES:
            for (name, *_), row in zip(weeks.WEEKS, lab.rows(zh)):
                parts = re.findall(r"^##+ (.*)$", page(name, language), re.M)
                asked = quiz.questions(quiz.pages(zh)[name[:2]])[1]
                for cell in re.split(r"[;；] ?", row.leave_out):
                    part, named = re.fullmatch(r"(.*?)(?: ?[(（](.*)[)）])?", cell).groups()
                    self.assertIn(part, parts, name)
                    numbers = re.findall(r"(?<![\w-])\d(?![\w-])|(?<=第 )\d|(?<=、)\d(?= 题)",
                                         named or "")
                    self.assertEqual([str(number) for number, question in enumerate(asked, 1)
                                      if question.section == part], numbers, (name, cell))

    def test_of_a_choice_the_same_exercises_are_handed_in_and_done_at_home(self):
        pattern = r"(?:two|one) of [^;|]*\d|[^；|]* 选[两一]道"
        for language, zh in LANGUAGES:
            chosen = [[lab.ID.findall(part) for part in re.findall(pattern, row)]
                      for row, _ in self.plan(language)]
            self.assertEqual(3, len([one for one in chosen if one]), language)
            self.assertEqual(chosen, [[lab.ID.findall(part) for part in
                                       re.findall(pattern, row.home)] for row in lab.rows(zh)])

    def test_the_points_that_can_be_reached(self):
        points = {exercise.id: exercise.points for exercise in manifest.manifest()}
        least = most = 0
        for row, _ in self.plan("en"):
            for part in row.split("; "):
                worth = sorted(points[one] for one in lab.ID.findall(part))
                of = self.of_choice(part)
                least, most = least + sum(worth[:of]), most + sum(worth[-of:])
        extra = sum(one.points for one in manifest.milestones())
        for language, words in (("en", f"{least} to {most} points"),
                                ("zh", f"{least} 到 {most} 分"), ("en", f"{extra} points")):
            self.assertTrue(words in " ".join(page("teaching", language).split()),
                            f"docs/{language}/teaching.md does not say '{words}'")

    def test_the_first_question_of_chapter_2_is_right_and_not_an_example_of_the_page(self):
        for language, _zh in LANGUAGES:
            text = re.search(r"^\*\*2 .*?^- \(a\) (.*?)^- \(b\)", page("teaching", language),
                             re.M | re.S)[1].replace("−", "-")
            vectors = [tuple(map(int, re.findall(r"-?\d+", one)))
                       for one in re.findall(r"\((-?\d+, -?\d+)\)", text)]
            q, keys, values = vectors[0], vectors[1:4], vectors[4:7]
            scores = [q[0] * k[0] + q[1] * k[1] for k in keys]
            powers = [2.718281828459045 ** (score / 2 ** 0.5) for score in scores]
            weights = [power / sum(powers) for power in powers]
            said = [float(n) for n in re.findall(r"-?\d+\.\d+", text)]
            true = weights + [sum(w * v[i] for w, v in zip(weights, values)) for i in (0, 1)]
            self.assertEqual([round(number, 2) for number in true], said)
            shown = page("02_attention", language)
            for number in true:
                self.assertNotIn(f"{number:.4f}", shown)

    def test_each_lab_takes_ninety_minutes(self):
        for language, zh in LANGUAGES:
            for row in lab.rows(zh):
                minutes = re.findall(r"(?:^|[;；] ?)(\d+)", row.lab)
                self.assertEqual(90, sum(map(int, minutes)), row.lab)

    def test_a_week_has_goals_in_both_languages(self):
        for week in range(1, 11):
            english, chinese = weeks.goals(week, False), weeks.goals(week, True)
            self.assertEqual(len(english), len(chinese), week)
            self.assertGreaterEqual(len(english), 3, week)
        self.assertEqual(set(), set(weeks.goals(9, False)) & set(weeks.goals(10, False)))

    def test_a_question_on_paper_is_printed_with_its_answer(self):
        for _language, zh in LANGUAGES:
            questions = {week: lab.on_paper(week, zh, True) for week in range(1, 11)}
            self.assertEqual({2: ["1a"], 3: ["2a", "2h"], 7: ["6g"], 9: ["8b"], 10: ["8i"]},
                             {week: [question[:2] for question in found]
                              for week, found in questions.items() if found})
            for week in range(1, 11):
                found = lab.on_paper(week, zh, False)
                self.assertGreaterEqual(len(found), 2, week)
                for question in found:
                    self.assertRegex(question, r"\[.+\]$")
                    self.assertNotIn("(b)", question)
            asked = [question[:2] for week in (9, 10) for question in lab.on_paper(week, zh, False)]
            self.assertEqual([f"8{letter}" for letter in "abcdefghi"], sorted(asked))

    def test_what_is_handed_out_has_no_answers_and_no_mistakes(self):
        for language, zh in LANGUAGES:
            for week in range(1, 11):
                ours = lab.sheet(week, zh, for_students=False)
                theirs = lab.sheet(week, zh, for_students=True)
                self.assertNotIn("mistakes.md", theirs)
                for exercise in lab.exercises(week):
                    self.assertIn(f"## {exercise.id} ", theirs)
                    for mistake in exercise.mistakes:
                        self.assertIn(task_text.escaped(mistake.said(zh)), ours)
                        self.assertNotIn(task_text.escaped(mistake.said(zh)), theirs)
                for answered in (False, True):
                    for question in lab.on_paper(week, zh, answered):
                        said = re.sub(r"^(\w+ +)\d\d-\d\d", r"\1", question)
                        said = said.partition("  ")[2].strip()  # but for the link to an exercise
                        self.assertEqual(answered, f"{said}\n" in theirs)
                        self.assertTrue(answered or said in ours and said not in theirs)
            menu = site_book.Book(language, answers=True).contents()
            handed_out, lecturer = (menu.partition(f":caption: {caption}\n")[2].partition("```")[0]
                                    for caption in (("课堂资料", "教师资料") if zh else
                                                    ("To hand out", "For the lecturer")))
            self.assertIn("lab/week-03", handed_out)
            self.assertNotRegex(handed_out, "lecturer|answers")
            self.assertIn("lab/lecturer-03", lecturer)
            self.assertIn("exam/answers", lecturer)

    def test_the_mistakes_that_the_fewest_tests_notice_come_first(self):
        orders = 0
        for exercise in manifest.manifest():
            found = lab.ranked(exercise)
            self.assertEqual(sorted(one.name for one in exercise.mistakes),
                             sorted(one.name for one, _ in found))
            counts = [count for _, count in found]
            self.assertEqual(counts, sorted(counts), exercise.id)
            self.assertTrue(all(1 <= count <= exercise.tests for count in counts), exercise.id)
            orders += found != sorted(found, key=lambda each: exercise.mistakes.index(each[0]))
        self.assertGreater(orders, 30)  # most lists stand in another order
        lines = lab.sheet(3, False, for_students=False).splitlines()
        first = lines.index(next(line for line in lines if line.startswith("[known mistakes")))
        self.assertRegex(lines[first + 2], r"^- noticed by 1 of \d tests: ")

    def test_a_sheet_says_what_to_show(self):
        for week, language, zh in ALL_WEEKS:
            shown = weeks.shown(week, zh)
            self.assertEqual(Lectures.shown(language)[week - 1], ("；" if zh else "; ").join(shown))
            sheets = [lab.sheet(week, zh, for_students=students) for students in (False, True)]
            self.assertIn(shown[0], sheets[0])
            self.assertNotIn(shown[0], sheets[1])
            for sheet in sheets:
                self.assertIn(f"({PAGES[week - 1]}.md)", sheet)
                self.assertIn(f"(quiz/{PAGES[week - 1]}.md)", sheet)

    def test_a_sheet_lists_what_the_exam_asks_on_the_week(self):
        of_chapter_8 = {9: [], 10: []}
        for week, _language, zh in ALL_WEEKS:
            sheets = [lab.sheet(week, zh, for_students=students) for students in (False, True)]
            for question in exam.pool(zh):
                line = f"- {question.name}{'，' if zh else ', '}{question.marks} "
                if question.chapter != int(PAGES[week - 1][:2]):
                    continue
                self.assertEqual(question.week in (0, week), line in sheets[0], question.name)
                self.assertNotIn(line, sheets[1])
                if week in of_chapter_8 and line in sheets[0]:
                    of_chapter_8[week].append(question.name)
        self.assertEqual(["four terms"] * 2, of_chapter_8[9])
        self.assertEqual(8, len(of_chapter_8[10]))

    def test_each_section_of_the_plan_is_on_a_slide_of_which_the_sheet_has_the_number(self):
        added = 0
        for week, _language, zh in ALL_WEEKS:
            found = decks.of_week(week, zh)
            text = "\n".join(lab.on_slides(week, zh))
            there = {slide.section for slide in found}
            for section in weeks.planned(week):
                self.assertNotEqual(section in there, section in decks.timed(week), week)
                if section not in there:
                    self.assertIn(f"--section {section}`", text)
                    continue
                said = re.search(rf"(?:section |第 ){section}(?: 节)?[:：] ?(\d+)", text)
                slide = found[int(said[1]) - 2]  # the first is the title
                self.assertEqual(section, slide.section, (week, section))
                added += section in weeks.on_no_page(week)
        self.assertGreater(added, 20)
        for _language, zh in LANGUAGES:  # in their places: behind 7, and between 4 and 6
            sections = [slide.section for slide in decks.of_week(3, zh)]
            self.assertEqual([7, 8, 9], list(dict.fromkeys(sections[sections.index(7):]))[:3])
            self.assertEqual([4, 5, 6], list(dict.fromkeys(sections[sections.index(4):]))[:3])
        self.assertEqual([7], decks.timed(7))

    def test_a_sheet_says_which_slides_the_plan_has_no_minutes_for(self):
        found = decks.of_week(3, False)
        skipped = [part for part in decks.parts_of(3, False) if part.without_minutes]
        parts = {part.heading: part for part in skipped}
        self.assertEqual(["The code", "Run it", "What came before", "One matrix or three",
                          "Backward", "Mistakes often seen", "In short"], list(parts))
        self.assertEqual([0, 2], [found[number - 2].section  # the table, and a section
                                  for number in parts["Mistakes often seen"].without_minutes])
        commands = [found[number - 2].shown for number in parts["Run it"].without_minutes]
        self.assertEqual([True, True, False], ["./learn" in each for each in commands])
        second_stop, = parts["Backward"].without_minutes
        self.assertIn("**02-05**", found[second_stop - 2].shown)
        before = parts["What came before"]
        self.assertEqual(before.slides, before.without_minutes)
        first, last = before.slides[0], before.slides[-1]
        self.assertIn(f"; skip {first}–{last}, for which the plan has no time",
                      "\n".join(lab.on_slides(3, False)))

    def test_hints_stand_on_the_lecturers_sheet_with_their_minutes(self):
        for _language, zh in LANGUAGES:
            ours, theirs = (lab.sheet(3, zh, for_students=students) for students in (False, True))
            self.assertIn("backward" if not zh else "反向",
                          "".join(manifest.hints(lab.exercises(10)[1], zh)).lower())
            self.assertNotRegex(lab.for_the_stuck(lab.rows(zh)[9], lab.exercises(10)[1], zh)[2][1],
                                "Backward|反向")  # which is for home
            texts = manifest.hints(lab.exercises(3)[0], zh)
            said = re.findall(r"^\*\*(?:hint |提示 )(\d)\D+(\d+)\D+\*\* (.*)", ours, re.M)
            self.assertEqual([("1", "15"), ("2", "22"), ("3", "30"), ("1", "10"), ("2", "15"),
                              ("3", "20")], [one[:2] for one in said])
            self.assertEqual([text.splitlines()[0] for text in texts], [one[2] for one in said[:3]])
            self.assertNotIn(texts[0].splitlines()[0], theirs)

    def test_what_an_exercise_asks_has_an_answer_on_the_lecturers_sheet(self):
        for week, one in ((3, "02-08"), (7, "06-05")):
            for _language, zh in LANGUAGES:
                asked = [text for text in lab.on_paper(week, zh, False) if one in text]
                self.assertEqual(1, len(asked))
                self.assertIn(asked[0].partition("[")[2], lab.sheet(week, zh, False))
                self.assertNotIn(asked[0].partition("[")[2], lab.sheet(week, zh, True))

    def test_the_order_of_the_lecture_is_that_of_the_slides(self):
        for week in range(1, 11):
            on_slides, behind = weeks.quoted(week)[1], weeks.on_no_page(week)
            order = [section for section in weeks.planned(week) if section not in behind]
            firsts = [on_slides.index(section) for section in order]
            apart = sum(a > b for a, b in zip(firsts, firsts[1:]))
            self.assertLessEqual(apart, 1, (week, order, on_slides))  # what is told in one go

    def test_without_the_lessons_a_sheet_says_what_it_lacks(self):
        run = learn("teach", "lab", "3", "--en", env={**os.environ, "XF_BIN": str(ROOT / "docs")})
        self.assertIn("    - 02_attention is not built: ./learn builds it\n", run.stdout)
        self.assertIn("    hint 1, after 15 minutes", run.stdout)

    def test_a_sheet_names_each_exercise_and_its_mistakes(self):
        run = learn("teach", "lab", "3", "--en")
        self.assertNotIn(task_text.FIXED, run.stdout)
        self.assertIn("    hint 1, after 15 minutes\n      A row holds the scores of one query",
                      run.stdout)
        for exercise in manifest.manifest():
            if exercise.chapter == 2:
                self.assertIn(f"{exercise.id}  {exercise.points} points: {exercise.title}",
                              run.stdout)
                for mistake in exercise.mistakes:
                    self.assertIn(mistake.en.split()[0], run.stdout)
        run = learn("teach", "lab", "11")
        self.assertEqual((2, ""), (run.returncode, run.stdout))


if __name__ == "__main__":
    unittest.main(verbosity=2)
