/* Opening a world. */
#include "world/world.h"

#include "test.h"

#include <fcntl.h>

TEST(the_root_is_open_until_its_arena_goes)
{
    mg_arena *arena = mg_arena_new(t->arena);
    mg_world world = {0};
    EXPECT_OK(mg_world_open(t->dir, arena, &world, &t->err));
    EXPECT(fcntl(world.root, F_GETFD) == FD_CLOEXEC);
    EXPECT_STR(t->dir, world.root_path);
    EXPECT(world.environ != NULL);
    const int root = world.root;
    mg_arena_free(arena);
    EXPECT(fcntl(root, F_GETFD) < 0);
}

TEST(a_root_that_is_no_directory_is_an_error)
{
    mg_world world = {.root = -1};
    test_write(t, "file", MG_STR("x"));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_world_open("/no/such/root", t->arena, &world, &t->err));
    EXPECT_ERR_CONTAINS("'/no/such/root'");
    EXPECT(mg_world_open(mg_strf(t->arena, "%s/file", t->dir).ptr, t->arena, &world, &t->err) !=
           MG_OK);
    EXPECT_EQ(-1, world.root);
}
