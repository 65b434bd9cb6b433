#include "storage/crypto/password.h"

#include <gtest/gtest.h>

namespace shingled::storage::crypto {
namespace {

TEST(Password, IsThatOfItsHashAndOfNoOther) {
  const std::string hash = hash_password("correct horse");
  EXPECT_TRUE(hash.starts_with("$argon2id$")) << hash;
  EXPECT_EQ(hash.find("correct"), std::string::npos);
  EXPECT_TRUE(is_password_hash(hash));
  EXPECT_TRUE(is_password("correct horse", hash));
  EXPECT_FALSE(is_password("correct hors", hash));
  EXPECT_FALSE(is_password(std::string_view("correct horse\0", 14), hash));
  EXPECT_FALSE(is_password("", hash));
  EXPECT_NE(hash_password("correct horse"), hash) << "each has its own salt";
}

TEST(Password, AHashIsKnownByItsBeginning) {
  EXPECT_FALSE(is_password_hash(""));
  EXPECT_FALSE(is_password_hash("plain password"));
  EXPECT_FALSE(is_password_hash("$1$abc$def"));
  EXPECT_FALSE(is_password_hash("$argon2id$" + std::string(1000, 'x')));
}

TEST(Password, WhatIsNoHashBelongsToNoPassword) {
  for (const char* text : {"", "x", "$argon2id$", "$1$abc$def", "plain password"}) {
    EXPECT_FALSE(is_password("", text)) << text;
    EXPECT_FALSE(is_password(text, text)) << text;
  }
}

}  // namespace
}  // namespace shingled::storage::crypto
