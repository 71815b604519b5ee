/* Which loop is meant without an id. */
#include "cli/loop_choose.h"
#include "test.h"

static mg_pursuit loop(const char *id, const char *root, mg_pursuit_status status)
{
    return (mg_pursuit){.id = mg_str_of(id), .root = mg_str_of(root), .status = status};
}

static const char *chosen(mg_pursuit *items, size_t count, const char *cwd, bool to_resume)
{
    const mg_pursuits all = {items, count, count};
    const mg_choice choice = mg_loop_choose(&all, mg_str_of(cwd), to_resume);
    return choice.loop != NULL ? choice.loop->id.ptr : "none";
}

TEST(the_newest_here_comes_before_a_newer_one_elsewhere)
{
    mg_pursuit all[] = {loop("elsewhere", "/srv", MG_PURSUIT_CANCELLED),
                        loop("near", "/home/ada/garden2", MG_PURSUIT_CANCELLED),
                        loop("newer", "/home/ada/garden", MG_PURSUIT_SUCCEEDED),
                        loop("older", "/home/ada/garden", MG_PURSUIT_SUCCEEDED)};
    EXPECT_STR("newer", mg_str_of(chosen(all, 4, "/home/ada/garden", false)));
    EXPECT_STR("newer", mg_str_of(chosen(all, 4, "/home/ada/garden/src", false)));
    EXPECT_STR("elsewhere", mg_str_of(chosen(all, 4, "/home/ada", false)));
    EXPECT_STR("none", mg_str_of(chosen(all, 0, "/", false)));
}

TEST(the_root_of_everything_contains_every_place)
{
    mg_pursuit all[] = {loop("x", "/srv", MG_PURSUIT_CANCELLED),
                        loop("whole", "/", MG_PURSUIT_CANCELLED)};
    EXPECT_STR("whole", mg_str_of(chosen(all, 2, "/home", false)));
}

TEST(resume_prefers_what_can_be_resumed_but_does_not_leave_the_place_for_it)
{
    mg_pursuit all[] = {loop("elsewhere", "/srv", MG_PURSUIT_CANCELLED),
                        loop("done", "/garden", MG_PURSUIT_SUCCEEDED),
                        loop("dead", "/garden", MG_PURSUIT_RUNNING),
                        loop("broken", "/garden", MG_PURSUIT_ERRORED)};
    all[2].stale = true;
    EXPECT_STR("dead", mg_str_of(chosen(all, 4, "/garden", true)));
    all[2].stale = false; /* it runs */
    EXPECT_STR("done", mg_str_of(chosen(all, 4, "/garden", true)));
    all[3].reason = MG_WHY_ABANDONED;
    EXPECT_STR("broken", mg_str_of(chosen(all, 4, "/garden", true)));
    EXPECT_STR("elsewhere", mg_str_of(chosen(all, 4, "/tmp", true)));
}
