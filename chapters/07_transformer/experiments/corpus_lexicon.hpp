#pragma once

#include <string>
#include <vector>

// The words of the corpus (corpus.hpp): English forms, Chinese words, and what goes with what.
namespace xf::grammar {

struct Phrase {
  std::string en, zh;
  bool plural = false;
};

// The kinds of nouns, which decide what verbs, adjectives and places go with them.
enum Kind : unsigned {
  print = 1,
  writing = 2,
  clothes = 4,
  tool = 8,
  vehicle = 16,
  paper = 32,
  food = 64,
  drink = 128,
  furniture = 256,
  pet = 512,
  livestock = 1024,
  plant = 2048,
  film = 4096,
  event = 8192,
  animal = pet | livestock,
};

struct Noun {
  std::string one, many, zh, measure;
  unsigned kind;
  std::string mass = {};  // "tea", where `one` is "cup of tea"
};
const Noun nouns[] = {
    {"book", "books", "书", "本", print},
    {"magazine", "magazines", "杂志", "本", print},
    {"newspaper", "newspapers", "报纸", "份", print},
    {"novel", "novels", "小说", "本", writing},
    {"letter", "letters", "信", "封", writing},
    {"poem", "poems", "诗", "首", writing},
    {"coat", "coats", "外套", "件", clothes},
    {"shirt", "shirts", "衬衫", "件", clothes},
    {"skirt", "skirts", "裙子", "条", clothes},
    {"hat", "hats", "帽子", "顶", clothes},
    {"umbrella", "umbrellas", "雨伞", "把", tool},
    {"phone", "phones", "手机", "部", tool},
    {"computer", "computers", "电脑", "台", tool},
    {"bicycle", "bicycles", "自行车", "辆", vehicle},
    {"car", "cars", "汽车", "辆", vehicle},
    {"ticket", "tickets", "票", "张", paper},
    {"map", "maps", "地图", "张", paper},
    {"apple", "apples", "苹果", "个", food},
    {"orange", "oranges", "橙子", "个", food},
    {"egg", "eggs", "鸡蛋", "个", food},
    {"banana", "bananas", "香蕉", "根", food},
    {"cake", "cakes", "蛋糕", "个", food},
    {"cup of tea", "cups of tea", "茶", "杯", drink, "tea"},
    {"cup of coffee", "cups of coffee", "咖啡", "杯", drink, "coffee"},
    {"glass of milk", "glasses of milk", "牛奶", "杯", drink, "milk"},
    {"bottle of water", "bottles of water", "水", "瓶", drink, "water"},
    {"table", "tables", "桌子", "张", furniture},
    {"chair", "chairs", "椅子", "把", furniture},
    {"cat", "cats", "猫", "只", pet},
    {"dog", "dogs", "狗", "条", pet},
    {"bird", "birds", "鸟", "只", pet},
    {"rabbit", "rabbits", "兔子", "只", pet},
    {"horse", "horses", "马", "匹", livestock},
    {"cow", "cows", "牛", "头", livestock},
    {"flower", "flowers", "花", "朵", plant},
    {"tree", "trees", "树", "棵", plant},
    {"film", "films", "电影", "部", film},
    {"match", "matches", "比赛", "场", event},
    {"concert", "concerts", "音乐会", "场", event},
    {"performance", "performances", "演出", "场", event},
};

struct Adjective {
  std::string en, comparative, zh;
  std::string before_noun;  // empty: only after "is"
  unsigned kinds;
};
const Adjective adjectives[] = {
    {"black", "", "", "黑", animal | clothes | tool | vehicle},  // colours: only before nouns
    {"white", "", "", "白", animal | clothes | tool | vehicle},
    {"red", "", "", "红", clothes | vehicle | tool},
    {"big", "bigger", "大", "大", animal | clothes | vehicle | food | furniture | plant},
    {"small", "smaller", "小", "小", animal | clothes | vehicle | food | furniture | plant},
    {"new", "newer", "新", "新", print | clothes | tool | vehicle | paper | furniture},
    {"old", "older", "旧", "旧", print | clothes | tool | vehicle | paper | furniture},
    {"beautiful", "more beautiful", "漂亮", "漂亮 的", animal | clothes | plant},
    {"interesting", "more interesting", "有趣", "有趣 的", print | writing | film | event},
    {"fresh", "fresher", "新鲜", "新鲜 的", food},
    {"expensive", "more expensive", "贵", "",
     print | clothes | tool | vehicle | paper | food | furniture},
    {"cheap", "cheaper", "便宜", "便宜 的", clothes | tool | vehicle | paper | food | furniture},
};

enum PlaceKind : unsigned { home = 1, study = 2, shop = 4, eatery = 8, outdoors = 16, city = 32 };
struct Place {
  std::string en, zh;
  unsigned kind;
};
const Place places[] = {
    {"at home", "家 里", home},
    {"in the kitchen", "厨房 里", home},
    {"at the library", "图书馆", study},
    {"at the office", "办公室", study},
    {"at school", "学校", study},
    {"at the shop", "商店", shop},
    {"at the market", "市场", shop},
    {"at the station", "车站", shop},
    {"at the airport", "机场", shop},
    {"at the restaurant", "餐厅", eatery},
    {"at the hotel", "酒店", eatery},
    {"in the park", "公园 里", outdoors},
    {"in the garden", "花园 里", outdoors},
    {"in Beijing", "北京", city},
    {"in Shanghai", "上海", city},
    {"in London", "伦敦", city},
    {"in Paris", "巴黎", city},
};

enum VerbUse : unsigned { habit = 1, owned = 2, past_only = 4 };  // owned: allows "her book"
struct Verb {
  std::string base, third, past, ing, zh;
  unsigned objects, places, use;  // objects 0: intransitive
};
const Verb verbs[] = {
    {"read", "reads", "read", "reading", "读", print | writing, home | study | outdoors,
     habit | owned},
    {"write", "writes", "wrote", "writing", "写", writing, home | study, habit},
    {"buy", "buys", "bought", "buying", "买",
     print | clothes | tool | vehicle | paper | food | furniture, shop | city, 0},
    {"eat", "eats", "ate", "eating", "吃", food, home | eatery | outdoors, habit | owned},
    {"drink", "drinks", "drank", "drinking", "喝", drink, home | study | eatery, habit | owned},
    {"watch", "watches", "watched", "watching", "看", film | event, home | eatery | city, habit},
    {"see", "sees", "saw", "seeing", "看见", animal | plant | vehicle, outdoors | city,
     owned | past_only},
    {"paint", "paints", "painted", "painting", "画", animal | plant, home | study | outdoors,
     habit | owned},
    {"wash", "washes", "washed", "washing", "洗", clothes, home, habit | owned},
    {"look for", "looks for", "looked for", "looking for", "找",
     print | clothes | tool | paper | pet, home | study | shop | eatery | outdoors, owned},
    {"borrow", "borrows", "borrowed", "borrowing", "借", print | tool, study, habit | owned},
    {"repair", "repairs", "repaired", "repairing", "修", tool | vehicle | furniture,
     home | study | shop, habit | owned},
    {"swim", "swims", "swam", "swimming", "游泳", 0, city, habit},
    {"ski", "skis", "skied", "skiing", "滑雪", 0, city, habit},
    {"skate", "skates", "skated", "skating", "滑冰", 0, city | outdoors, habit},
    {"run", "runs", "ran", "running", "跑步", 0, city | outdoors, habit},
    {"sing", "sings", "sang", "singing", "唱歌", 0, home | study | outdoors, habit},
    {"dance", "dances", "danced", "dancing", "跳舞", 0, home | study | outdoors, habit},
    {"work", "works", "worked", "working", "工作", 0, study | shop | eatery | city, habit},
};

struct Modal {
  std::string plain, third, negative, zh;  // negative empty: negated with do
};
const Modal modals[] = {
    {"will", "will", "will not", "会"},         {"want to", "wants to", "", "想"},
    {"plan to", "plans to", "", "打算"},        {"can", "can", "cannot", "能"},
    {"should", "should", "should not", "应该"}, {"like to", "likes to", "", "爱"},
};

const Phrase past_times[] = {{"yesterday", "昨天"},     {"yesterday morning", "昨天 早上"},
                             {"last night", "昨晚"},    {"last week", "上周"},
                             {"last Friday", "上周五"}, {"last Sunday", "上周日"}};
const Phrase future_times[] = {{"tomorrow", "明天"},      {"tomorrow morning", "明天 早上"},
                               {"tonight", "今晚"},       {"next week", "下周"},
                               {"next Friday", "下周五"}, {"next Sunday", "下周日"}};
const Phrase habit_times[] = {{"every day", "每天"},
                              {"every morning", "每天 早上"},
                              {"every week", "每周"},
                              {"every weekend", "每个 周末"}};
const Phrase frequencies[] = {{"often", "经常"}, {"always", "总是"}};

const Phrase numbers[] = {{"two", "两"},   {"three", "三"}, {"four", "四"},
                          {"five", "五"},  {"six", "六"},   {"seven", "七"},
                          {"eight", "八"}, {"nine", "九"},  {"ten", "十"}};
const Phrase games[] = {{"2022 Beijing Winter", "2022 北京 冬"},
                        {"2008 Beijing Summer", "2008 北京 夏"},
                        {"2012 London Summer", "2012 伦敦 夏"},
                        {"2024 Paris Summer", "2024 巴黎 夏"},
                        {"Winter", "冬"},
                        {"Summer", "夏"}};

const Phrase hindrances[] = {{"tired", "累"}, {"busy", "忙"}, {"sleepy", "困"}};

enum class Person { i, he, they };  // am, is, are
struct Subject {
  std::string en, zh;
  Person person;
};
const Subject pronouns[] = {{"I", "我", Person::i},       {"you", "你", Person::they},
                            {"he", "他", Person::he},     {"she", "她", Person::he},
                            {"we", "我们", Person::they}, {"they", "他们", Person::they}};
const Phrase names[] = {{"Tom", "汤姆"}, {"Anna", "安娜"}, {"David", "大卫"}, {"Mary", "玛丽"}};
const Phrase owners[] = {{"my", "我"},  {"your", "你"},  {"his", "他"},
                         {"her", "她"}, {"our", "我们"}, {"their", "他们"}};  // kin: the first four
const Phrase kin[] = {
    {"mother", "妈妈"}, {"father", "爸爸"}, {"brother", "哥哥"}, {"sister", "妹妹"}};
const Phrase others[] = {{"teacher", "老师"}, {"friend", "朋友"}};
const Phrase roles[] = {{"the doctor", "医生"},
                        {"the teacher", "老师"},
                        {"the children", "孩子们", true},
                        {"the students", "学生们", true}};

// Where things can be: the side of a landmark, and the nouns found there.
struct Side {
  std::string en, zh;
  const std::vector<Phrase>& landmarks;
  unsigned kinds;
};
const std::vector<Phrase> surfaces = {
    {"the table", "桌子"}, {"the chair", "椅子"}, {"the bed", "床"}, {"the sofa", "沙发"}};
const std::vector<Phrase> buildings = {{"the school", "学校"},  {"the library", "图书馆"},
                                       {"the station", "车站"}, {"the hotel", "酒店"},
                                       {"the shop", "商店"},    {"the restaurant", "餐厅"}};
const std::vector<Phrase> yards = {{"the garden", "花园"}, {"the park", "公园"}};
const std::vector<Phrase> rooms = {{"the kitchen", "厨房"}, {"the room", "房间"}};
const Side sides[] = {
    {"on", "上", surfaces, print | writing | clothes | tool | paper | food | drink | pet},
    {"under", "下面", surfaces, print | writing | clothes | tool | paper | pet},
    {"in", "里", yards, animal | plant | vehicle | furniture},
    {"in", "里", rooms, print | clothes | tool | furniture | food | pet},
    {"in front of", "前面", buildings, animal | plant | vehicle},
    {"behind", "后面", buildings, animal | plant | vehicle},
    {"next to", "旁边", buildings, animal | plant | vehicle},
};

}  // namespace xf::grammar
