/* Texts to pointers. */
#include "base/map.h"
#include "test.h"

TEST(an_empty_map_holds_nothing)
{
    const mg_map map = mg_map_new(t->arena);
    EXPECT(mg_map_get(&map, MG_STR("a")) == NULL);
    EXPECT(mg_map_get(&map, (mg_str){0}) == NULL);
}

TEST(the_first_value_under_a_key_stays)
{
    mg_map map = mg_map_new(t->arena);
    int one = 1, two = 2;
    EXPECT(mg_map_put(&map, MG_STR("k"), &one) == NULL);
    EXPECT(mg_map_put(&map, MG_STR("k"), &two) == &one);
    EXPECT(mg_map_get(&map, MG_STR("k")) == &one);
    EXPECT_EQ(1, map.count);
}

TEST(keys_are_compared_by_length_and_bytes)
{
    mg_map map = mg_map_new(t->arena);
    int a = 1, b = 2, c = 3, d = 4;
    (void)mg_map_put(&map, MG_STR("a"), &a);
    (void)mg_map_put(&map, MG_STR("a\0"), &b);
    (void)mg_map_put(&map, MG_STR("a\0b"), &c);
    (void)mg_map_put(&map, MG_STR(""), &d);
    EXPECT(mg_map_get(&map, MG_STR("a")) == &a);
    EXPECT(mg_map_get(&map, MG_STR("a\0")) == &b);
    EXPECT(mg_map_get(&map, MG_STR("a\0b")) == &c);
    EXPECT(mg_map_get(&map, (mg_str){0}) == &d);
    EXPECT(mg_map_get(&map, MG_STR("b")) == NULL);
}

TEST(many_keys_are_all_found_again)
{
    enum { MANY = 20000 };
    mg_map map = mg_map_new(t->arena);
    int *values = mg_new_array(t->arena, int, MANY);
    for (int i = 0; i < MANY; i++)
        EXPECT(mg_map_put(&map, mg_strf(t->arena, "key %d", i), &values[i]) == NULL);
    EXPECT_EQ(MANY, map.count);
    for (int i = 0; i < MANY; i++)
        EXPECT(mg_map_get(&map, mg_strf(t->arena, "key %d", i)) == &values[i]);
    EXPECT(mg_map_get(&map, MG_STR("key 20000")) == NULL);
}
