// Covers mime/html/css_selector.cpp, mime/html/shown_sheet.cpp, mime/html/shown_style.cpp, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "mime/html/html_to_text.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {
namespace {

struct Case {
  std::string name;
  std::string_view html;
  bool shown;  ///< whether a browser shows the word "marked"
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class BrowserShows : public ::testing::TestWithParam<Case> {};

/// What a browser shows: white on white, white on a picture, ...
std::string seen(std::string_view html, Compat compat) {
  WorkMeter meter(UINT64_MAX);
  HtmlText text = html_to_text(html, HtmlLimits{}, compat, meter);
  return text.seen.value_or(text.content);
}

TEST_P(BrowserShows, WhatAReaderSees) {
  for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
    const std::string text = seen(GetParam().html, compat);
    EXPECT_EQ(text.find("marked") != std::string::npos, GetParam().shown) << text;
    EXPECT_NE(text.find("other"), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Grounds, BrowserShows,
    ::testing::Values(
        Case{"nothing_said", "<p>other</p><p>marked</p>", true},
        Case{"white_on_white", "<p>other</p><p style='color:#fff'>marked</p>", false},
        Case{"gradient",
             "<p>other</p><div "
             "style='background:linear-gradient(#000,#111);color:#fff'>marked</div>",
             true},
        Case{"picture",
             "<p>other</p><div style='background-image:url(a.png);color:#fff'>marked</div>", true},
        Case{"picture_of_an_attribute",
             "<p>other</p><table background=a.png><tr><td><font color=white>marked</font></table>",
             true},
        Case{"picture_taken_back",
             "<p>other</p><div style='background:url(a.png)'><p "
             "style='background:#fff;color:#fefefe'>marked</div>",
             false},
        Case{"black_body", "<body bgcolor=#000000 text=#ffffff>other<p>marked", true},
        Case{"body_text_without_ground", "<body text=white><p style='color:black'>other</p>marked",
             false},
        Case{"cell",
             "<p>other</p><table><tr><td bgcolor=red><font color=#fff>marked</font></table>", true},
        Case{"cell_in_capitals",
             "<p>other</p><table><tr><td bgcolor=Navy><font color=White>marked</font></table>",
             true},
        Case{"colour_without_hash",
             "<p>other</p><table><tr><td bgcolor=000080><font color=ffffff>marked</font></table>",
             true},
        Case{"cell_as_white",
             "<p>other</p><table><tr><td bgcolor=fff000><font color=fff000>marked</font></table>",
             false},
        Case{"almost_transparent_ground",
             "<p>other</p><div style='background:#000'><p "
             "style='background:rgba(255,255,255,.01);color:white'>marked</p></div>",
             true},
        Case{"half_transparent_ground",
             "<p>other</p><div style='background:rgba(0,0,0,.5);color:white'>marked</div>", true},
        Case{"transparent_ink", "<p>other</p><p style='color:rgb(0 0 0 / 0%)'>marked</p>", false},
        Case{"transparent_short_ink", "<p>other</p><p style='color:#0000'>marked</p>", false},
        Case{"hue_in_turns", "<p>other</p><p style='color:hsl(0.5turn 100% 100%)'>marked</p>",
             false},
        Case{"link_is_blue", "<p>other</p><div style='color:#fff'><a href=x>marked</a></div>",
             true},
        Case{"white_link", "<p>other</p><a href=x style='color:#fff'>marked</a>", false}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Selectors, BrowserShows,
    ::testing::Values(
        Case{"tag_and_class", "<style>p.x{display:none}</style>other<p class=x>marked</p>", false},
        Case{"tag_and_other_class", "<style>p.x{display:none}</style>other<p class=y>marked</p>",
             true},
        Case{"two_classes", "<style>.a.b{display:none}</style>other<p class='a b'>marked</p>",
             false},
        Case{"one_of_two_classes", "<style>.a.b{display:none}</style>other<p class=a>marked</p>",
             true},
        Case{"descendant",
             "<style>.a .b{display:none}</style>other<div class=a><i><p "
             "class=b>marked</p></i></div>",
             false},
        Case{"no_descendant",
             "<style>.a .b{display:none}</style>other<div class=a></div><p class=b>marked</p>",
             true},
        Case{"child", "<style>div>p{display:none}</style>other<div><p>marked</p></div>", false},
        Case{"grandchild", "<style>div>i{display:none}</style>other<div><b><i>marked</i></b></div>",
             true},
        Case{"next", "<style>b+i{display:none}</style><b>other</b><i>marked</i>", false},
        Case{"not_next", "<style>b+i{display:none}</style><b>other</b><u>x</u><i>marked</i>", true},
        Case{"later", "<style>b~i{display:none}</style><b>other</b><u>x</u><i>marked</i>", false},
        Case{"attribute", "<style>[data-h]{display:none}</style>other<p data-h>marked</p>", false},
        Case{"attribute_of_value",
             "<style>p[title=\"x\"]{display:none}</style>other<p title='x'>marked</p>", false},
        Case{"attribute_of_other_value",
             "<style>p[title=x]{display:none}</style>other<p title=y>marked</p>", true},
        Case{"attribute_with_word",
             "<style>[class~=x]{display:none}</style>other<p class='a x'>marked</p>", false},
        Case{"attribute_beginning",
             "<style>[class^=pre]{display:none}</style>other<p class=preheader>marked</p>", false},
        Case{"excluded", "<style>p:not(.k){display:none}</style><p class=k>other<p>marked</p>",
             false},
        Case{"first_child",
             "<style>u:first-child{display:none}</style><div><u>marked</u>other</div>", false},
        Case{"hover_is_no_state_of_mail", "<style>p:hover{display:none}</style>other<p>marked</p>",
             true},
        Case{"pseudo_element", "<style>p::before{display:none}</style>other<p>marked</p>", true},
        Case{"list", "<style>h1, .a .b , .c{display:none}</style>other<p class=c>marked</p>",
             false},
        Case{"unknown_in_a_list",
             "<style>p:hover,.c{display:none}</style>other<p class=c>marked</p>", false},
        Case{"unknown_tag", "<style>x-y{display:none}</style>other<x-y>marked</x-y>", false},
        Case{"media_screen",
             "<style>@media screen{.h{display:none}}</style>other<p class=h>marked</p>", false},
        Case{"media_print",
             "<style>@media print{.h{display:none}}</style>other<p class=h>marked</p>", true},
        Case{"media_of_telephones",
             "<style>@media only screen and (max-width:480px){.h{display:none}}</style>other<p "
             "class=h>marked</p>",
             true},
        Case{"media_of_desktops",
             "<style>@media screen and (min-width:600px){.h{display:none}}</style>other<p "
             "class=h>marked</p>",
             false},
        Case{"media_in_a_list",
             "<style>@media print, screen{.h{display:none}}</style>other<p class=h>marked</p>",
             false},
        Case{"rule_behind_media",
             "<style>@media print{p{color:red}} .h{display:none}</style>other<p class=h>marked</p>",
             false},
        Case{"supports",
             "<style>@supports (display:grid){.h{display:none}}</style>other<p class=h>marked</p>",
             false},
        Case{"not_by_tag", "<style>p:not(.k){display:none}</style>other<p>marked</p>", false},
        Case{"is", "<style>p:is(.h){display:none}</style>other<p class=h>marked</p>", false},
        Case{"root", "<style>:root p{display:none}</style><html><body>other<p>marked</p>", false},
        Case{"dash", "<style>.-x{display:none}</style>other<p class='-x'>marked</p>", false},
        Case{"stray_brace", "<style>} .h{display:none}</style>other<p class=h>marked</p>", true},
        Case{"missing_selector", "<style>.h , {display:none}</style>other<p class=h>marked</p>",
             true},
        Case{"sheet_for_printers",
             "<style media=print>.h{display:none}</style>other<p class=h>marked</p>", true},
        Case{"font_face_is_no_rule",
             "<style>@font-face{src:url(x)} .h{display:none}</style>other<p class=h>marked</p>",
             false}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Cascade, BrowserShows,
    ::testing::Values(
        Case{
            "important",
            "<style>.h{display:none!important}</style>other<p class=h style='display:block'>marked",
            false},
        Case{"own_style_wins",
             "<style>.h{display:none}</style>other<p class=h style='display:block'>marked</p>",
             true},
        Case{"specific_wins",
             "<style>p.h{display:block} .h{display:none}</style>other<p class=h>marked</p>", true},
        Case{"later_wins",
             "<style>.h{display:block} .h{display:none}</style>other<p class=h>marked</p>", false},
        Case{"later_declaration_wins", "other<p style='display:block;display:none'>marked</p>",
             false},
        Case{"empty_declaration", "other<p style=';display:none'>marked</p>", false},
        Case{"nameless_declaration", "other<p style='12;display:none'>marked</p>", false},
        Case{"in_a_hidden_element", "other<div style='display:none'><p>marked</p></div>", false},
        Case{"visible_in_invisible",
             "other<div style='visibility:hidden'><p style='visibility:visible'>marked</p></div>",
             true},
        Case{"faint_in_faint",
             "other<div style='opacity:.3'><p style='opacity:.3'>marked</p></div>", false},
        Case{"paragraph_ends_at_paragraph", "other<p style='display:none'>x<p>marked", true},
        Case{"paragraph_ends_at_table",
             "<!doctype html>other<p style='display:none'>x<table><tr><td>marked</table>", true},
        Case{"item_ends_at_item", "other<ul><li style='display:none'>x<li>marked</ul>", true},
        Case{"cell_ends_at_cell", "other<table><tr><td style='display:none'>x<td>marked</table>",
             true},
        Case{"template", "other<template>marked</template>", false},
        Case{"hidden_attribute", "other<div hidden><p>marked</p></div>", false},
        Case{"small", "other<p style='font-size:1px'>marked</p>", false},
        Case{"small_by_percents",
             "other<div style='font-size:10%'><p style='font-size:50%'>marked</p></div>", false},
        Case{"short_font", "other<p style='font:700 14px/1 Arial'>marked</p>", true},
        Case{"short_font_of_nothing", "other<p style='font:0/0 a'>marked</p>", false},
        Case{"relative_to_nothing",
             "other<p style='font-size:0'><b style='font-size:1em'>marked</b></p>", false},
        Case{"negative_size", "other<p style='font-size:-5px'>marked</p>", true},
        Case{"unknown_display", "other<p style='display:none;display:foo'>marked</p>", false},
        Case{"initial_ink",
             "other<div style='color:#fff'><p style='color:initial'>marked</p></div>", true},
        Case{"link_inherits_ink",
             "other<div style='color:#fff'><a href=x style='color:inherit'>marked</a></div>",
             false},
        Case{"first_of_two_styles", "other<p style='display:none' style='display:block'>marked</p>",
             false},
        Case{"first_of_two_classes",
             "<style>.b{display:none}</style>other<p class=a class=b>marked</p>", true},
        Case{"large_in_nothing",
             "other<div style='font-size:0'><p style='font-size:14px'>marked</p></div>", true}),
    [](const auto& test) { return test.param.name; });

TEST(BrowserView, IsLeftOutWhereRspamdShowsTheSame) {
  WorkMeter meter(UINT64_MAX);
  const std::string_view html = "<p style='color:red'>a</p><p style='color:#fff'>b</p>";
  EXPECT_FALSE(html_to_text(html, HtmlLimits{}, Compat::kRspamd4, meter).seen);
}

TEST(BrowserView, KeepsWhatOnlyABrowserHides) {
  WorkMeter meter(UINT64_MAX);
  const HtmlText text = html_to_text("<style>p.x{display:none}</style>a<p class=x>secret</p>",
                                     HtmlLimits{}, Compat::kRspamd4, meter);
  EXPECT_NE(text.content.find("secret"), std::string::npos);
  ASSERT_TRUE(text.seen);
  EXPECT_EQ(text.seen->find("secret"), std::string::npos);
  EXPECT_NE(text.hidden.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace shingled::mime
