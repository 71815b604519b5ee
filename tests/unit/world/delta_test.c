/* What became of a path: every sort of change, its sizes and its lines. */
#include "tree_tools.h"

static const mg_change *only_change(test *t, const place *p, const mg_snapshot *before)
{
    mg_changes changes = {0};
    EXPECT_OK(mg_snapshot_delta(before, snap(t, p, before), p->pack, t->arena, &changes, &t->err));
    EXPECT_EQ(1, changes.count);
    return &changes.items[0];
}

TEST(created_modified_deleted_with_sizes_and_lines)
{
    test_write(t, "w/edit", MG_STR("1\n2\n3\n"));
    test_write(t, "w/drop", MG_STR("1\n2\n"));
    test_write(t, "w/same", MG_STR("1\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    EXPECT_CHANGES("", s);
    test_write(t, "w/edit", MG_STR("1\nx\n3\n4\n"));
    EXPECT(unlinkat(t->dir_fd, "w/drop", 0) == 0);
    test_write(t, "w/new/file", MG_STR("a\nb\nc"));
    EXPECT_CHANGES("deleted drop +0 -2 | modified edit +2 -1 | created new/file +3 -0", s);
    mg_changes changes = {0};
    EXPECT_OK(mg_snapshot_delta(s, snap(t, &p, s), p.pack, t->arena, &changes, &t->err));
    EXPECT_EQ(4, changes.items[0].size_before);
    EXPECT_EQ(-1, changes.items[0].size_after);
    EXPECT_EQ(6, changes.items[1].size_before);
    EXPECT_EQ(8, changes.items[1].size_after);
    EXPECT_EQ(-1, changes.items[2].size_before);
    EXPECT_EQ(5, changes.items[2].size_after);
}

TEST(rewriting_with_the_same_content_is_a_no_op)
{
    test_write(t, "w/a", MG_STR("1\n"));
    test_write(t, "w/b", MG_STR("1\n"));
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    let_time_pass();
    test_write(t, "w/a", MG_STR("1\n"));
    sh(t, "cp b c; mv c b");
    EXPECT_CHANGES("modified! a +0 -0 | modified! b +0 -0", s);
    EXPECT(mg_snapshot_same(s, snap(t, &p, s), MG_STR("a")));
}

TEST(modes_and_links_and_types)
{
    test_write(t, "w/script", MG_STR("1\n"));
    test_write(t, "w/tolink", MG_STR("1\n"));
    EXPECT(symlinkat("script", t->dir_fd, "w/link") == 0);
    EXPECT(symlinkat("script", t->dir_fd, "w/unlink") == 0);
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "chmod 755 script; ln -sfn /etc link; rm tolink; ln -s script tolink; rm unlink; "
          "echo 1 > unlink");
    EXPECT_CHANGES("link link +-1 --1 | mode script +0 -0 | link tolink +-1 --1 | "
                   "link unlink +-1 --1",
                   s);
    EXPECT(!mg_snapshot_same(s, snap(t, &p, s), MG_STR("script")));
}

TEST(a_file_that_becomes_a_directory_is_deleted_and_the_other_way_round)
{
    test_write(t, "w/x", MG_STR("1\n"));
    test_write(t, "w/y/inside", MG_STR("2\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "rm x; mkdir x; echo new > x/inside; rm -r y; echo other > y");
    EXPECT_CHANGES("deleted x +0 -1 | created x/inside +1 -0 | created y +1 -0 | "
                   "deleted y/inside +0 -1",
                   s);
}

TEST(directories_themselves_are_no_effect)
{
    test_mkdir(t, "w/old");
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "mkdir new; rmdir old");
    EXPECT_CHANGES("", s);
}

TEST(a_file_that_moves_is_renamed_also_across_directories)
{
    test_write(t, "w/a/one", MG_STR("content\n"));
    test_write(t, "w/two", MG_STR("other\n"));
    test_write(t, "w/empty", MG_STR(""));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "mkdir b; mv a/one b/uno; cp two copy; rm two; mv empty leer");
    EXPECT_CHANGES("renamed a/one -> b/uno +0 -0 | renamed two -> copy +0 -0 | "
                   "renamed empty -> leer +0 -0",
                   s);
}

TEST(a_directory_that_moves_takes_its_files_with_it)
{
    test_write(t, "w/lib/x", MG_STR("same\n"));
    test_write(t, "w/lib/y", MG_STR("same\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "cp -r lib src; rm -r lib"); /* equal contents: each keeps its name */
    EXPECT_CHANGES("renamed lib/x -> src/x +0 -0 | renamed lib/y -> src/y +0 -0", s);
}

TEST(a_rename_with_an_edit_is_seen_by_its_inode)
{
    test_write(t, "w/a", MG_STR("1\n2\n3\n"));
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    struct statx st;
    if (statx(t->dir_fd, "w/a", 0, STATX_BTIME, &st) < 0 || (st.stx_mask & STATX_BTIME) == 0)
        test_skip("the file system does not say when an inode was made");
    sh(t, "mv a b; echo 4 >> b");
    EXPECT_CHANGES("renamed a -> b +1 -0", s);
}

TEST(an_inode_number_that_is_used_again_makes_no_rename)
{
    test_write(t, "w/a", MG_STR("1\n2\n3\n"));
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "rm a; echo something else > b");
    EXPECT_CHANGES("deleted a +0 -3 | created b +1 -0", s);
}

TEST(hard_links_are_files_of_their_own)
{
    test_write(t, "w/a", MG_STR("1\n"));
    test_write(t, "w/c", MG_STR("1\n2\n"));
    sh(t, "ln c d");
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    let_time_pass();
    sh(t, "ln a b"); /* a is still what it was: nobody wrote it */
    EXPECT_CHANGES("created b +1 -0", s);
    sh(t, "echo 3 >> d; rm b"); /* written through one name, changed under both */
    EXPECT_CHANGES("modified c +1 -0 | modified d +1 -0", s);
    sh(t, "mv c e"); /* d still has the inode, but c is what is gone */
    EXPECT_CHANGES("modified d +1 -0 | renamed c -> e +1 -0", s);
}

TEST(binary_and_large_files_have_no_lines)
{
    test_write(t, "w/bin", MG_STR("a\0b\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    mg_buf big = mg_buf_new(t->arena, 3u << 20);
    while (big.len <= 1u << 20)
        mg_buf_adds(&big, "a line of text\n");
    test_write(t, "w/big", mg_buf_str(&big));
    test_write(t, "w/bin", MG_STR("a\0c\n"));
    mg_buf late = mg_buf_new(t->arena, 1u << 20);
    mg_buf_fill(&late, 'x', 8000);
    mg_buf_add(&late, MG_STR("\0\n")); /* git looks for a NUL in the first 8000 bytes only */
    test_write(t, "w/late", mg_buf_str(&late));
    EXPECT_CHANGES("created big +-1 --1 | modified bin +-1 --1 | created late +1 -0", s);
}

TEST(a_large_file_is_hashed_to_its_end)
{
    mg_buf big = mg_buf_new(t->arena, 3u << 20);
    mg_buf_fill(&big, 'x', 2u << 20);
    test_write(t, "w/big", mg_buf_str(&big));
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    mg_baseline_file file;
    EXPECT(mg_snapshot_file(s, MG_STR("big"), &file));
    EXPECT(mg_hash_eq(file.hash, mg_hash_bytes(mg_buf_str(&big))));
    MG_AUTO_FD fd = openat(t->dir_fd, "w/big", O_WRONLY | O_CLOEXEC);
    EXPECT(pwrite(fd, "y", 1, (2 << 20) - 1) == 1);
    EXPECT_CHANGES("modified big +-1 --1", s);
}

TEST(texts_that_were_tampered_with_in_the_pack_give_no_lines)
{
    test_write(t, "w/a", MG_STR("1\n2\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    MG_AUTO_FD fd = openat(p.state, "pack", O_WRONLY | O_CLOEXEC);
    EXPECT(pwrite(fd, "9", 1, 0) == 1);
    test_write(t, "w/a", MG_STR("1\n2\n3\n"));
    EXPECT_CHANGES("modified a +-1 --1", s);
    EXPECT(ftruncate(fd, 0) == 0);
    EXPECT_EQ(MG_CHANGE_MODIFIED, only_change(t, &p, s)->type);
}

TEST(without_a_pack_changes_are_seen_all_the_same)
{
    test_write(t, "w/a", MG_STR("1\n"));
    place p = open_place(t, NULL, NULL, NULL);
    p.pack = NULL;
    const mg_snapshot *s = snap(t, &p, NULL);
    test_write(t, "w/a", MG_STR("2\n"));
    EXPECT_CHANGES("modified a +-1 --1", s);
}

TEST(changes_are_sorted_by_path_whatever_the_directories_are_called)
{
    test_mkdir(t, "w");
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    test_write(t, "w/a/z", MG_STR("1\n"));
    test_write(t, "w/a-b", MG_STR("2\n"));
    test_write(t, "w/a.c/x", MG_STR("3\n"));
    test_write(t, "w/a0", MG_STR("4\n"));
    EXPECT_CHANGES("created a-b +1 -0 | created a.c/x +1 -0 | created a/z +1 -0 | created a0 +1 -0",
                   s);
}

TEST(the_line_counts_are_those_of_git)
{
    test_write(t, "w/README", MG_STR("one\ntwo\nthree\n"));
    test_write(t, "w/src/main.c", MG_STR("int main(void)\n{\n    return 1;\n}\n"));
    sh(t, "git init -q . && git add -A && git -c user.name=n -c user.email=e commit -qm 1");
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "printf 'one\\n2\\nthree\\nfour' > README; sed -i 's/1/0/; /{/d' src/main.c; "
          "printf 'a\\nb\\n' > new; git add -A; "
          "git diff --cached --numstat > ../numstat");
    const mg_str git = test_read(t, mg_strf(t->arena, "%s/numstat", t->dir).ptr);
    mg_changes changes = {0};
    EXPECT_OK(mg_snapshot_delta(s, snap(t, &p, s), p.pack, t->arena, &changes, &t->err));
    mg_buf ours = mg_buf_new(t->arena, 4096);
    for (size_t i = 0; i < changes.count; i++)
        mg_buf_addf(&ours, "%d\t%d\t" MG_FMT "\n", (int)changes.items[i].lines_added,
                    (int)changes.items[i].lines_deleted, MG_ARG(changes.items[i].path));
    EXPECT_STR(mg_str_cstr(t->arena, git), mg_buf_str(&ours));
}
