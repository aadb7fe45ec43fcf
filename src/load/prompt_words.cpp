#include "load/text_prompts.hpp"

namespace tokenjoule {

// The most frequent words of English: single tokens in nearly every vocabulary.
const std::vector<std::string_view>& prompt_words() {
  static const std::vector<std::string_view> words = {
      "the",     "of",      "and",     "to",      "in",      "is",        "that",    "for",
      "it",      "as",      "was",     "with",    "be",      "by",        "on",      "not",
      "he",      "his",     "but",     "at",      "are",     "this",      "have",    "from",
      "or",      "had",     "an",      "they",    "which",   "one",       "you",     "were",
      "all",     "her",     "she",     "there",   "would",   "their",     "we",      "him",
      "been",    "has",     "when",    "who",     "will",    "no",        "more",    "if",
      "out",     "so",      "said",    "what",    "up",      "its",       "about",   "into",
      "than",    "them",    "can",     "only",    "other",   "time",      "new",     "some",
      "could",   "these",   "two",     "may",     "then",    "do",        "first",   "any",
      "my",      "now",     "such",    "like",    "our",     "over",      "man",     "me",
      "even",    "most",    "made",    "after",   "also",    "did",       "many",    "before",
      "must",    "through", "back",    "years",   "where",   "much",      "your",    "way",
      "well",    "down",    "should",  "because", "each",    "just",      "those",   "people",
      "how",     "too",     "little",  "state",   "good",    "very",      "make",    "world",
      "still",   "own",     "see",     "men",     "work",    "long",      "get",     "here",
      "between", "both",    "life",    "being",   "under",   "never",     "day",     "same",
      "another", "know",    "while",   "last",    "might",   "us",        "great",   "old",
      "year",    "off",     "come",    "since",   "against", "go",        "came",    "right",
      "used",    "take",    "three",   "states",  "himself", "few",       "house",   "use",
      "during",  "without", "again",   "place",   "around",  "however",   "home",    "small",
      "found",   "thought", "went",    "say",     "part",    "once",      "general", "high",
      "upon",    "school",  "every",   "does",    "got",     "united",    "left",    "number",
      "course",  "war",     "until",   "always",  "away",    "something", "fact",    "water",
      "though",  "less",    "public",  "put",     "think",   "almost",    "hand",    "enough",
      "far",     "took",    "head",    "yet",     "better",  "set",       "told",    "nothing",
      "night",   "end",     "why",     "called",  "find",    "going",     "look",    "asked",
      "later",   "point",   "knew",    "next",    "city",    "business",  "case",    "group",
      "toward",  "young",   "days",    "let",     "room",    "word",      "side",    "given",
      "several", "order",   "light",   "big",     "face",    "field",     "large",   "power",
      "early",   "open",    "money",   "real",    "best",    "line",      "name",    "form",
      "change",  "play",    "book",    "run",     "move",    "live",      "hold",    "true",
      "close",   "story",   "sound",   "study",   "plant",   "cover",     "food",    "sun",
      "four",    "five",    "six",     "seven",   "eight",   "nine",      "ten",     "half",
      "full",    "car",     "feet",    "white",   "black",   "red",       "blue",    "green",
      "north",   "south",   "east",    "west",    "king",    "ship",      "rain",    "snow",
      "wind",    "fire",    "stone",   "river",   "road",    "tree",      "bird",    "fish",
      "dog",     "horse",   "boat",    "table",   "door",    "paper",     "music",   "voice",
      "front",   "body",    "love",    "mother",  "father",  "girl",      "boy",     "child",
      "friend",  "family",  "country", "earth",   "land",    "sea",       "air",     "hot",
      "cold",    "dark",    "warm",    "fast",    "slow",    "short",     "free",    "strong",
  };
  return words;
}

}  // namespace tokenjoule
