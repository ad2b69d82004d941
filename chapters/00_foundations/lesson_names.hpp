#pragma once

#include <string_view>
#include <vector>

#include "io/utf8.hpp"

namespace xf::lesson_00 {

// The names that the letters are taken from. Every fifth name is held out.
inline const std::vector<std::string_view> names = split_words(
    "ada adam agnes alan albert alice amelia amy anders andrea anna anton arthur august barbara "
    "ben bernard bertha bianca bruno carl carla carmen caroline cecil charles chloe clara claude "
    "colin dana daniel david dennis diana dora edgar edith edward elena elias elisa ella ellen "
    "emil emily emma eric erica ernest eva felix fiona flora frances frank fred frieda gabriel "
    "george gloria grace greta gustav hanna hannes harold harry helen helena henry hugo ian ida "
    "ines irene iris isabel ivan jack jacob jane janet jasper jean johan john jonas jonathan "
    "josef judith julia julian karen karin karl kate kevin klara lara laura lea lena leo leon "
    "lewis lily linda lisa louis louise lucas lucy lydia magnus marco margaret maria marie marion "
    "mark martha martin mary mathilda max maya michael mila mona monica nadia nancy nathan nell "
    "nicolas nina nora norman oliver olga oscar otto pamela patrick paul paula peter philip "
    "rachel ralph rebecca rena richard rita robert robin roland rosa rose ruth samuel sandra sara "
    "simon sofia sonia stefan stella susan sylvia teresa theo thomas tim tina tobias tom ulrich "
    "ursula valentin vera victor viola walter wanda werner willa xaver yvonne zoe");

}  // namespace xf::lesson_00
