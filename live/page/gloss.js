// English glosses of the Chinese words of the little language.

const MEANINGS = {
  在: 'at, -ing', 的: '’s', 吗: '?', 什么: 'what', 不: 'not', 你: 'you', 她: 'she', 里: 'in',
  他: 'he', 谁: 'who', 有: 'have', 了: 'done', 他们: 'they', 和: 'and', 我: 'I', 我们: 'we',
  爱: 'like', 正在: '-ing', 哪里: 'where', 一: 'one', 那: 'that', 这: 'this', 现在: 'now',
  时候: 'time', 很: 'very', 汤姆: 'Tom', 没: 'not', 安娜: 'Anna', 老师: 'teacher',
  因为: 'because', 大卫: 'David', 所以: 'so', 这些: 'these', 玛丽: 'Mary', 那些: 'those',
  喝: 'drink', 洗: 'wash', 看: 'watch', 读: 'read', 画: 'paint', 小: 'small', 吃: 'eat',
  修: 'repair', 借: 'borrow', 写: 'write', 大: 'big', 想: 'want', 早上: 'morning', 会: 'can',
  打算: 'plan', 朋友: 'friend', 新: 'new', 厨房: 'kitchen', 便宜: 'cheap', 总是: 'always',
  买: 'buy', 没有: 'have not', 本: '(volume)', 经常: 'often', 只: '(animal)', 黑: 'black',
  找: 'look for', 旧: 'old', 能: 'can', 每天: 'every day', 应该: 'should', 图书馆: 'library',
  漂亮: 'beautiful', 前: 'ago', 天: 'day', 妹妹: 'sister', 个: '(piece)', 哥哥: 'brother',
  家: 'home', 书: 'book', 学校: 'school', 妈妈: 'mother', 爸爸: 'father', 鸟: 'bird',
  狗: 'dog', 跳舞: 'dance', 报纸: 'newspaper', 白: 'white', 明天: 'tomorrow', 兔子: 'rabbit',
  游泳: 'swim', 跑步: 'run', 滑雪: 'ski', 诗: 'poem', 杂志: 'magazine', 猫: 'cat',
  帽子: 'hat', 工作: 'work', 滑冰: 'skate', 雨伞: 'umbrella', 信: 'letter', 汽车: 'car',
  北京: 'Beijing', 公园: 'park', 衬衫: 'shirt', 唱歌: 'sing', 花园: 'garden', 小说: 'novel',
  手机: 'phone', 昨天: 'yesterday', 电脑: 'computer', 裙子: 'skirt', 奥会: 'Olympics',
  外套: 'coat', 有趣: 'interesting', 牛: 'cow', 无聊: 'boring', 自行车: 'bicycle',
  办公室: 'office', 条: '(long)', 椅子: 'chair', 巴黎: 'Paris', 马: 'horse', 伦敦: 'London',
  医生: 'doctor', 辆: '(vehicle)', 件: '(garment)', 桌子: 'table', 树: 'tree', 看见: 'see',
  红: 'red', 鸡蛋: 'egg', 后面: 'behind', 香蕉: 'banana', 苹果: 'apple', 旁边: 'beside',
  前面: 'in front', 孩子们: 'children', 学生们: 'students', 下周: 'next week', 上: 'on',
  商店: 'shop', 下面: 'below', 花: 'flower', 酒店: 'hotel', 蛋糕: 'cake', 车站: 'station',
  周末: 'weekend', 橙子: 'orange', 每个: 'every', 餐厅: 'restaurant', 夏: 'summer',
  张: '(flat)', 上海: 'Shanghai', 部: '(machine)', 把: '(handle)', 每周: 'every week',
  演出: 'performance', 今晚: 'tonight', 杯: 'cup', 六: 'six', 九: 'nine', 电影: 'film',
  八: 'eight', 比赛: 'match', 下周五: 'next Friday', 昨晚: 'last night', 水: 'water',
  音乐会: 'concert', 七: 'seven', 两: 'two', 四: 'four', 地图: 'map', 牛奶: 'milk',
  上周日: 'last Sunday', 十: 'ten', 五: 'five', 茶: 'tea', 上周五: 'last Friday',
  新鲜: 'fresh', 票: 'ticket', 顶: '(hat)', 困: 'sleepy', 三: 'three', 头: '(head)',
  场: '(event)', 首: '(verse)', 忙: 'busy', 下周日: 'next Sunday', 房间: 'room',
  咖啡: 'coffee', 上周: 'last week', 份: '(copy)', 封: '(sealed)', 沙发: 'sofa', 匹: '(horse)',
  台: '(machine)', 床: 'bed', 比: 'than', 累: 'tired', 太: 'too', 棵: '(tree)',
  根: '(stick)', 冬: 'winter', 朵: '(bloom)', 贵: 'expensive', 机场: 'airport', 瓶: 'bottle',
  市场: 'market', 渴: 'thirsty', 饿: 'hungry',
};

// The gloss of one word; empty if it needs none, or if the page is in Chinese.
function meaning_of(token) {
  return state.lang === 'en' && own(MEANINGS, token) || '';
}

// The glosses of a sentence, word by word; empty if none of its words needs one.
function meanings_of(tokens) {
  const words = tokens.filter((token) => !SPECIALS.includes(token)), known = words.some(meaning_of);
  return known ? words.map((token) => meaning_of(token) || plain(token)).join(' · ') : '';
}
