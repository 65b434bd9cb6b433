#!/usr/bin/env python3
"""Makes trigrams.txt and the stop word lists of rspamd's own from the language data of an installed rspamd.

    make_language_data.py [/usr/share/rspamd/languages] [FOLDER OF THE RESULT]

trigrams.txt is what rspamd 3.4 has in memory after it has read its profiles, so two of its habits are kept: a trigram's
languages are thinned out in the order of their codes, in a way that overlooks some, and capitals count as small letters.

Format: a line "= ALPHABET code code ..." names the languages of the lines after it, which are called A, B, ... Z, a, ...
there. Such a line is a trigram of exactly three characters, a space for the edge of a word, and then a letter and a
number for each language it speaks for: its share of that language's trigrams in millionths, four times as much if at most
three languages know it. Thirteen trigrams of Chinese, Japanese and Korean letters, strays in profiles of other languages,
are left out: trigram_table.h has no room for such letters.
"""

import json
import pathlib
import re
import string
import sys

STOP_WORD_LISTS = ["ar", "cs", "id", "ne", "ro", "sl"]  # the others come from PostgreSQL, see README.md
FEW_LANGUAGES = 3
BONUS_OF_FEW = 4
LETTER_LIMIT = 0x4000
LETTERS = string.ascii_uppercase + string.ascii_lowercase


def lower(text):
    """Character by character: U+0130 becomes a plain i."""
    return "".join("i" if c == "\u0130" else c.lower() for c in text)


def is_latin(gram):
    return all(c == " " or (c.isascii() and c.isalnum()) for c in gram)


def read_profile(path):
    """The alphabet of a language and the shares of its trigrams."""
    profile = json.loads(path.read_text())
    latin = profile["type"] == "latin"
    counts = {gram: count for gram, count in profile["freq"].items()
              if len(gram) == 3 and (latin or not is_latin(gram))}
    total = sum(counts.values())
    shares = {}
    for gram, count in counts.items():
        shares[lower(gram)] = shares.get(lower(gram), 0) + count / total
    return profile["type"], shares


def without_weak(languages):
    """Drops languages below the mean; the one that takes the place of a dropped one, the last, is not looked at."""
    mean = sum(share for _, share in languages) / len(languages)
    kept = list(languages)
    at = 0
    while at < len(kept):
        if kept[at][1] < mean:
            kept[at] = kept[-1]
            kept.pop()
        at += 1
    return sorted(kept)


def weigh(languages):
    if len(languages) > FEW_LANGUAGES:
        return without_weak(languages)
    return [(code, share * BONUS_OF_FEW) for code, share in languages]


def write_trigrams(source, path):
    alphabets = {}
    for file in sorted(source.glob("*.json")):
        alphabet, shares = read_profile(file)
        alphabets.setdefault(alphabet, {})[file.stem] = shares
    with path.open("w") as out:
        for alphabet, profiles in sorted(alphabets.items()):
            letter = dict(zip(profiles, LETTERS))
            print("=", alphabet, *profiles, file=out)
            trigrams = {}
            for code, shares in profiles.items():
                for gram, share in shares.items():
                    trigrams.setdefault(gram, []).append((code, share))
            for gram, languages in sorted(trigrams.items()):
                if ord(max(gram)) >= LETTER_LIMIT:
                    continue
                votes = "".join(f"{letter[code]}{max(1, round(share * 1e6))}" for code, share in weigh(languages))
                print(gram + votes, file=out)


def write_stop_words(source, folder):
    text = re.sub(r",(\s*[\]}])", r"\1", (source / "stop_words").read_text())  # no comma before a bracket
    lists = json.loads(text)
    for code in STOP_WORD_LISTS:
        (folder / f"{code}.stop").write_text("".join(f"{word}\n" for word in sorted(lists[code])))


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/rspamd/languages")
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent
    write_trigrams(source, folder / "trigrams.txt")
    write_stop_words(source, folder)


if __name__ == "__main__":
    main()
