/* Files beneath a root: what an agent may leave behind, opened by the kernel's rules and by the
 * walk for older kernels, which must give the same answer. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_link(test *t, const char *target, const char *at)
{
    EXPECT_EQ(0, symlinkat(target, t->dir_fd, at));
}

static mg_str path_in(test *t, const char *name)
{
    return mg_strf(t->arena, "%s/%s", t->dir, name);
}

/* A root with everything that is hostile in it, beside something that must not be reached. */
static int hostile_root(test *t)
{
    test_write(t, "outside/secret", MG_STR("secret"));
    test_write(t, "root/file", MG_STR("file"));
    test_write(t, "root/dir/inner", MG_STR("inner"));
    test_mkdir(t, "root/dir/deep/er");
    make_link(t, "file", "root/to_file");
    make_link(t, "dir", "root/to_dir");
    make_link(t, "dir/", "root/to_dir_slash");
    make_link(t, "file/", "root/to_file_slash");
    make_link(t, "../file", "root/dir/up_inside");
    make_link(t, "../../root/file", "root/dir/out_and_back");
    make_link(t, "../outside/secret", "root/out_relative");
    make_link(t, "../outside", "root/out_dir");
    make_link(t, "/etc/passwd", "root/out_absolute");
    make_link(t, "/", "root/to_slash");
    make_link(t, "..", "root/to_parent");
    make_link(t, ".", "root/to_dot");
    make_link(t, "nothing", "root/dangling");
    make_link(t, "loop_b", "root/loop_a");
    make_link(t, "loop_a", "root/loop_b");
    make_link(t, "self/x", "root/self");
    make_link(t, "to_file", "root/to_to_file");
    make_link(t, "to_to_dir/..", "root/climb");
    make_link(t, "dir/deep", "root/to_to_dir");
    make_link(t, mg_str_cstr(t->arena, path_in(t, "root/file")), "root/absolute_inside");
    EXPECT_EQ(0, mkfifoat(t->dir_fd, "root/fifo", 0666));
    const int root = openat(t->dir_fd, "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    EXPECT(root >= 0);
    return root;
}

static bool same_file(int a, int b)
{
    struct stat sa, sb;
    return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

/* Both ways of opening agree: the same file, or errno values that mean the same. */
static void expect_agreement(int root, mg_str path, int flags)
{
    MG_AUTO_FD kernel = mg_open_beneath(root, path, flags);
    const int kernel_errno = errno;
    MG_AUTO_FD walk = mg_open_beneath_walk(root, path, flags);
    const int walk_errno = errno;
    const mg_str shown = mg_str_first(path, 100);
    if ((kernel < 0) != (walk < 0))
        test_fail(__FILE__, __LINE__, "'" MG_FMT "' %x: kernel %s, walk %s", MG_ARG(shown), flags,
                  kernel < 0 ? strerrorname_np(kernel_errno) : "opens",
                  walk < 0 ? strerrorname_np(walk_errno) : "opens");
    if (kernel >= 0 && !same_file(kernel, walk))
        test_fail(__FILE__, __LINE__, "'" MG_FMT "': two different files", MG_ARG(shown));
    if (kernel < 0 && mg_status_of_errno(kernel_errno) != mg_status_of_errno(walk_errno))
        test_fail(__FILE__, __LINE__, "'" MG_FMT "' %x: kernel %s, walk %s", MG_ARG(shown), flags,
                  strerrorname_np(kernel_errno), strerrorname_np(walk_errno));
    if (kernel >= 0)
        EXPECT((fcntl(kernel, F_GETFD) & FD_CLOEXEC) && (fcntl(walk, F_GETFD) & FD_CLOEXEC));
}

TEST(the_walk_gives_the_kernels_answer)
{
    static const char *const paths[] = {
        "file",
        "./file",
        "dir/../file",
        "dir/inner",
        "dir//inner",
        "dir/./inner",
        ".",
        "./",
        "./.",
        "..",
        "../root/file",
        "../outside/secret",
        "dir/../../outside/secret",
        "dir/../..",
        "dir/..",
        "dir/deep/er/../../../file",
        "/etc/passwd",
        "/",
        "//",
        "",
        "nothing",
        "nothing/x",
        "file/x",
        "file/",
        "file/.",
        "file/..",
        "dir/",
        "dir//",
        "dir/.",
        "dir/inner/",
        "to_file",
        "to_file/",
        "to_dir",
        "to_dir/",
        "to_dir/inner",
        "to_dir/../file",
        "to_dir_slash",
        "to_dir_slash/inner",
        "to_file_slash",
        "dir/up_inside",
        "dir/out_and_back",
        "out_relative",
        "out_dir",
        "out_dir/secret",
        "out_dir/../root/file",
        "out_absolute",
        "to_slash",
        "to_slash/etc/passwd",
        "to_parent",
        "to_parent/root/file",
        "to_dot",
        "to_dot/file",
        "to_dot/to_dot/to_dot/file",
        "dangling",
        "dangling/",
        "dangling/x",
        "loop_a",
        "loop_a/x",
        "self",
        "to_to_file",
        "climb",
        "climb/inner",
        "climb/..",
        "to_to_dir",
        "to_to_dir/er",
        "absolute_inside",
        "fifo",
        "fifo/",
        "fifo/x",
        "a\nb",
        "\xff\xfe",
        " ",
        "~",
        "...",
        "dir/...",
        "file\\",
    };
    static const int flags[] = {
        O_RDONLY | O_NONBLOCK,
        O_PATH,
        O_RDONLY | O_NONBLOCK | O_NOFOLLOW,
        O_PATH | O_NOFOLLOW,
        O_RDONLY | O_DIRECTORY,
        O_PATH | O_DIRECTORY | O_NOFOLLOW,
        O_WRONLY | O_NONBLOCK,
    };
    MG_AUTO_FD root = hostile_root(t);
    for (size_t i = 0; i < MG_COUNT(paths); i++) {
        for (size_t j = 0; j < MG_COUNT(flags); j++)
            expect_agreement(root, mg_str_of(paths[i]), flags[j]);
    }
}

TEST(the_walk_agrees_on_names_that_no_goal_should_hold)
{
    MG_AUTO_FD root = hostile_root(t);
    expect_agreement(root, MG_STR("file\0x"), O_RDONLY);
    expect_agreement(root, MG_STR("\0"), O_RDONLY);
    expect_agreement(root, (mg_str){0}, O_RDONLY);
    for (size_t len = 250; len < 4200; len += len == 257 ? 3830 : 1) {
        mg_buf name = mg_buf_new(t->arena, 5000);
        mg_buf_fill(&name, 'x', len);
        expect_agreement(root, mg_buf_str(&name), O_RDONLY);
        mg_buf_adds(&name, "/y");
        expect_agreement(root, mg_buf_str(&name), O_RDONLY);
    }
    mg_buf dots = mg_buf_new(t->arena, 5000);
    for (int i = 0; i < 500; i++)
        mg_buf_adds(&dots, "dir/../");
    mg_buf_adds(&dots, "file");
    expect_agreement(root, mg_buf_str(&dots), O_RDONLY);
}

TEST(the_walk_agrees_on_random_paths)
{
    static const char *const parts[] = {
        "file",     "dir",       "deep",         "..",        ".",     "",
        "er",       "to_dir",    "to_parent",    "to_dot",    "climb", "inner",
        "dangling", "up_inside", "out_and_back", "to_to_dir", "loop_a"};
    MG_AUTO_FD root = hostile_root(t);
    uint32_t seed = 1;
    for (int n = 0; n < 20000 / (int)test_slowness(); n++) {
        mg_buf path = mg_buf_new(t->arena, 200);
        const uint32_t count = 1 + (seed = seed * 1664525 + 1013904223) % 6;
        for (uint32_t i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            mg_buf_addf(&path, "%s%s", i > 0 ? "/" : "", parts[(seed >> 16) % MG_COUNT(parts)]);
        }
        expect_agreement(root, mg_buf_str(&path), (seed >> 8) % 2 ? O_PATH : O_PATH | O_NOFOLLOW);
    }
}

TEST(the_walk_counts_links_as_the_kernel_does)
{
    test_mkdir(t, "root");
    test_write(t, "root/l0", MG_STR("end"));
    for (int i = 1; i <= 42; i++)
        make_link(t, mg_strf(t->arena, "l%d", i - 1).ptr, mg_strf(t->arena, "root/l%d", i).ptr);
    MG_AUTO_FD root = openat(t->dir_fd, "root", O_RDONLY | O_CLOEXEC);
    for (int i = 38; i <= 42; i++)
        expect_agreement(root, mg_strf(t->arena, "l%d", i), O_RDONLY);
}

TEST(magic_links_of_proc_are_not_followed)
{
    MG_AUTO_FD proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0)
        test_skip("there is no /proc");
    static const char *const links[] = {"cwd", "root", "exe", "cwd/x", "root/etc/passwd"};
    for (size_t i = 0; i < MG_COUNT(links); i++) {
        EXPECT_EQ(-1, mg_open_beneath(proc, mg_str_of(links[i]), O_PATH));
        EXPECT_EQ(MG_ERR_DENIED, mg_status_of_errno(errno));
        EXPECT_EQ(-1, mg_open_beneath_walk(proc, mg_str_of(links[i]), O_PATH));
        EXPECT_EQ(MG_ERR_DENIED, mg_status_of_errno(errno));
    }
}

TEST(nothing_outside_the_root_is_ever_opened)
{
    static const char *const paths[] = {
        "../outside/secret",   "out_relative",    "out_dir/secret",           "out_absolute",
        "to_slash/etc/passwd", "absolute_inside", "to_parent/outside/secret", "/etc/passwd",
        "dir/../../x"};
    MG_AUTO_FD root = hostile_root(t);
    for (size_t i = 0; i < MG_COUNT(paths); i++) {
        mg_str text;
        const mg_status s = mg_file_read(root, mg_str_of(paths[i]), 100, t->arena, &text, &t->err);
        EXPECT_EQ(MG_ERR_DENIED, s);
        EXPECT_ERR_CONTAINS("it leads outside the root");
        EXPECT_ERR_CONTAINS(paths[i]);
    }
}

TEST(as_an_ordinary_user_the_walk_sees_the_same_permissions)
{
    MG_AUTO_FD root = hostile_root(t);
    test_write(t, "root/closed/in", MG_STR("x"));
    test_write(t, "root/unreadable", MG_STR("x"));
    EXPECT_EQ(0, fchmodat(t->dir_fd, "root/closed", 0, 0));
    EXPECT_EQ(0, fchmodat(t->dir_fd, "root/unreadable", 0, 0));
    EXPECT_EQ(0, fchmodat(t->dir_fd, ".", 0755, 0));
    const bool is_root = geteuid() == 0;
    if (is_root)
        EXPECT_EQ(0, setresuid(65534, 65534, 0));
    static const char *const paths[] = {"closed",    "closed/",        "closed/in", "closed/.",
                                        "closed/..", "closed/../file", "unreadable"};
    for (size_t i = 0; i < MG_COUNT(paths); i++) {
        expect_agreement(root, mg_str_of(paths[i]), O_RDONLY);
        expect_agreement(root, mg_str_of(paths[i]), O_PATH);
    }
    if (is_root)
        EXPECT_EQ(0, setresuid(0, 0, 0));
    EXPECT_EQ(0, fchmodat(t->dir_fd, "root/closed", 0755, 0));
}

TEST(creating_beneath_a_root_gives_a_usable_file_both_ways)
{
    MG_AUTO_FD root = hostile_root(t);
    (void)umask(022);
    MG_AUTO_FD a = mg_open_beneath(root, MG_STR("dir/new_a"), O_WRONLY | O_CREAT | O_EXCL);
    MG_AUTO_FD b = mg_open_beneath_walk(root, MG_STR("dir/new_b"), O_WRONLY | O_CREAT | O_EXCL);
    struct stat st;
    EXPECT(a >= 0 && fstat(a, &st) == 0);
    EXPECT_EQ(0644, st.st_mode & 07777u);
    EXPECT(b >= 0 && fstat(b, &st) == 0);
    EXPECT_EQ(0644, st.st_mode & 07777u);
    expect_agreement(root, MG_STR("dangling"), O_WRONLY | O_CREAT | O_EXCL);
    expect_agreement(root, MG_STR("out_relative"), O_WRONLY | O_CREAT);
    expect_agreement(root, MG_STR("../new"), O_WRONLY | O_CREAT);
}

TEST(the_walk_leaks_no_descriptor)
{
    MG_AUTO_FD root = hostile_root(t);
    const int before = dup(root);
    EXPECT_EQ(0, close(before));
    for (int i = 0; i < 300; i++) {
        EXPECT_EQ(-1, mg_open_beneath_walk(root, MG_STR("dir/deep/er/nothing"), O_RDONLY));
        EXPECT_EQ(-1, mg_open_beneath_walk(root, MG_STR("dir/deep/er/../../../../x"), O_RDONLY));
        const int fd = mg_open_beneath_walk(root, MG_STR("dir/deep/../inner"), O_RDONLY);
        EXPECT_EQ(0, close(fd));
    }
    const int after = dup(root);
    EXPECT_EQ(before, after);
    EXPECT_EQ(0, close(after));
}

/* --- Reading --- */

TEST(a_file_is_read_up_to_its_limit_and_not_a_byte_more)
{
    test_write(t, "ten", MG_STR("0123456789"));
    mg_str text;
    EXPECT_OK(mg_file_read(t->dir_fd, MG_STR("ten"), 10, t->arena, &text, &t->err));
    EXPECT_STR("0123456789", text);
    EXPECT_EQ(MG_ERR_LIMIT, mg_file_read(t->dir_fd, MG_STR("ten"), 9, t->arena, &text, &t->err));
    EXPECT_ERR_CONTAINS("'ten': it is larger than 9 bytes");
    test_write(t, "empty", MG_STR(""));
    EXPECT_OK(mg_file_read(t->dir_fd, MG_STR("empty"), 0, t->arena, &text, &t->err));
    EXPECT_STR("", text);
}

TEST(a_large_file_is_read_whole)
{
    enum { BYTES = 300001 };
    char *bytes = mg_arena_alloc(t->arena, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 7);
    test_write(t, "large", (mg_str){bytes, BYTES});
    mg_str text;
    EXPECT_OK(mg_file_read(t->dir_fd, MG_STR("large"), 1 << 20, t->arena, &text, &t->err));
    EXPECT(mg_str_eq((mg_str){bytes, BYTES}, text));
}

TEST(what_is_not_a_regular_file_is_named_and_does_not_hang)
{
    mg_str text = MG_STR("untouched");
    test_mkdir(t, "dir");
    EXPECT_EQ(0, mkfifoat(t->dir_fd, "fifo", 0666));
    MG_AUTO_FD sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/sock", t->dir);
    EXPECT_EQ(0, bind(sock, (const struct sockaddr *)&address, sizeof address));

    EXPECT_EQ(MG_ERR_INVALID, mg_file_read(t->dir_fd, MG_STR("dir"), 9, t->arena, &text, &t->err));
    EXPECT_ERR_CONTAINS("'dir' is a directory, not a regular file");
    EXPECT_EQ(MG_ERR_INVALID, mg_file_read(t->dir_fd, MG_STR("fifo"), 9, t->arena, &text, &t->err));
    EXPECT_ERR_CONTAINS("'fifo' is a FIFO");
    EXPECT_EQ(MG_ERR_INVALID, mg_file_read(t->dir_fd, MG_STR("sock"), 9, t->arena, &text, &t->err));
    EXPECT_ERR_CONTAINS("'sock' is not a regular file");
    MG_AUTO_FD dev = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    EXPECT_EQ(MG_ERR_INVALID, mg_file_read(dev, MG_STR("zero"), 9, t->arena, &text, &t->err));
    EXPECT_ERR_CONTAINS("'zero' is a device");
    EXPECT_STR("untouched", text);
}

TEST(a_missing_file_and_a_missing_directory_are_not_found)
{
    struct stat st;
    mg_str text;
    test_write(t, "file", MG_STR("x"));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_file_stat(t->dir_fd, MG_STR("no"), &st, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_file_stat(t->dir_fd, MG_STR("no/x"), &st, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_file_stat(t->dir_fd, MG_STR("file/x"), &st, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_file_read(t->dir_fd, MG_STR("no"), 9, t->arena, &text, &t->err));
    EXPECT_ERR_CONTAINS("'no': No such file");
    EXPECT_OK(mg_file_stat(t->dir_fd, MG_STR("."), &st, &t->err));
    EXPECT(S_ISDIR(st.st_mode));
}

TEST(every_file_type_has_a_name)
{
    static const mode_t modes[] = {S_IFREG, S_IFDIR, S_IFIFO, S_IFSOCK,
                                   S_IFCHR, S_IFBLK, S_IFLNK, 0};
    for (size_t i = 0; i < MG_COUNT(modes); i++)
        EXPECT(strlen(mg_file_type(modes[i] | 0644)) > 5);
}

/* --- Writing --- */

static const char *file_path(test *t, const char *name)
{
    return path_in(t, name).ptr;
}

static size_t files_in(test *t)
{
    size_t count = 0;
    DIR *dir = opendir(t->dir);
    EXPECT(dir != NULL);
    while (readdir(dir) != NULL)
        count++;
    EXPECT_EQ(0, closedir(dir));
    return count - 2; /* without "." and ".." */
}

TEST(replacing_writes_a_new_file_and_leaves_no_other)
{
    EXPECT_OK(mg_file_replace(file_path(t, "new"), MG_STR("hello"), &t->err));
    EXPECT_STR("hello", test_read(t, file_path(t, "new")));
    EXPECT_OK(mg_file_replace(file_path(t, "new"), MG_STR(""), &t->err));
    EXPECT_STR("", test_read(t, file_path(t, "new")));
    EXPECT_EQ(1, files_in(t));
}

TEST(replacing_keeps_mode_and_link)
{
    test_write(t, "real", MG_STR("old"));
    make_link(t, "real", "link");
    EXPECT_EQ(0, fchmodat(t->dir_fd, "real", 0640, 0));
    EXPECT_OK(mg_file_replace(file_path(t, "link"), MG_STR("new"), &t->err));
    EXPECT_STR("new", test_read(t, file_path(t, "real")));
    struct stat st;
    EXPECT_EQ(0, fstatat(t->dir_fd, "link", &st, AT_SYMLINK_NOFOLLOW));
    EXPECT(S_ISLNK(st.st_mode));
    EXPECT_EQ(0, fstatat(t->dir_fd, "real", &st, AT_SYMLINK_NOFOLLOW));
    EXPECT_EQ(0640, st.st_mode & 07777u);
    EXPECT_EQ(2, files_in(t));
}

TEST(replacing_as_root_keeps_the_owner)
{
    if (geteuid() != 0)
        test_skip("only root can own another's file");
    test_write(t, "theirs", MG_STR("old"));
    EXPECT_EQ(0, fchownat(t->dir_fd, "theirs", 1234, 1235, 0));
    EXPECT_OK(mg_file_replace(file_path(t, "theirs"), MG_STR("new"), &t->err));
    struct stat st;
    EXPECT_EQ(0, fstatat(t->dir_fd, "theirs", &st, 0));
    EXPECT_EQ(1234, st.st_uid);
    EXPECT_EQ(1235, st.st_gid);
}

TEST(a_full_disk_loses_nothing)
{
    test_write(t, "kept", MG_STR("old"));
    const struct rlimit small = {1000, 1000};
    (void)signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    mg_buf big = mg_buf_new(t->arena, 5000);
    mg_buf_fill(&big, 'x', 5000);
    EXPECT_EQ(MG_ERR_LIMIT, mg_file_replace(file_path(t, "kept"), mg_buf_str(&big), &t->err));
    EXPECT_ERR_CONTAINS("kept': it cannot be written");
    EXPECT_STR("old", test_read(t, file_path(t, "kept")));
    EXPECT_EQ(1, files_in(t));
}

TEST(a_directory_that_is_not_writable_keeps_the_old_file)
{
    test_write(t, "kept", MG_STR("old"));
    EXPECT_EQ(0, fchmodat(t->dir_fd, "kept", 0666, 0));
    EXPECT_EQ(0, fchmod(t->dir_fd, 0555));
    const bool is_root = geteuid() == 0;
    if (is_root)
        EXPECT_EQ(0, setresuid(65534, 65534, 0));
    const mg_status s = mg_file_replace(file_path(t, "kept"), MG_STR("new"), &t->err);
    if (is_root)
        EXPECT_EQ(0, setresuid(0, 0, 0));
    EXPECT_EQ(0, fchmod(t->dir_fd, 0755));
    EXPECT_EQ(MG_ERR_DENIED, s);
    EXPECT_STR("old", test_read(t, file_path(t, "kept")));
}

TEST(devices_and_fifos_are_written_not_replaced)
{
    struct stat st;
    EXPECT_OK(mg_file_replace("/dev/null", MG_STR("x"), &t->err));
    EXPECT(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));

    EXPECT_EQ(0, mkfifoat(t->dir_fd, "fifo", 0666));
    MG_AUTO_FD reader = openat(t->dir_fd, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_OK(mg_file_replace(file_path(t, "fifo"), MG_STR("through"), &t->err));
    char got[16] = {0};
    EXPECT_EQ(7, mg_fd_read(reader, got, sizeof got));
    EXPECT_STR("through", mg_str_of(got));
    EXPECT_EQ(1, files_in(t));
}

TEST(replacing_a_directory_or_a_dangling_link_says_so)
{
    test_mkdir(t, "dir");
    make_link(t, "nowhere/x", "dangling");
    EXPECT(mg_file_replace(file_path(t, "dir"), MG_STR("x"), &t->err) != MG_OK);
    EXPECT_ERR_CONTAINS("Is a directory");
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_file_replace(file_path(t, "dangling"), MG_STR("x"), &t->err));
    EXPECT_ERR_CONTAINS("link to something that does not exist");
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_file_replace(file_path(t, "no/x"), MG_STR("x"), &t->err));
    EXPECT_EQ(2, files_in(t));
}

TEST(a_standard_output_that_has_no_name_is_written_in_place)
{
    MG_AUTO_FD fd = openat(t->dir_fd, "gone", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(0, unlinkat(t->dir_fd, "gone", 0));
    const char *path = mg_strf(t->arena, "/proc/self/fd/%d", fd).ptr;
    EXPECT_OK(mg_file_replace(path, MG_STR("written"), &t->err));
    char got[16] = {0};
    EXPECT_EQ(7, pread(fd, got, sizeof got, 0));
    EXPECT_EQ(0, files_in(t));
}

TEST(a_slow_reader_of_a_non_blocking_pipe_gets_everything)
{
    enum { BYTES = 1 << 20 };
    int ends[2];
    EXPECT_EQ(0, pipe2(ends, O_CLOEXEC | O_NONBLOCK));
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        char *bytes = mg_arena_alloc(t->arena, BYTES);
        _exit(mg_fd_write_all(ends[1], (mg_str){bytes, BYTES}, &t->err) == MG_OK ? 0 : 1);
    }
    (void)close(ends[1]);
    size_t total = 0;
    char block[8192];
    (void)fcntl(ends[0], F_SETFL, 0);
    for (ssize_t n; (n = mg_fd_read(ends[0], block, sizeof block)) > 0; total += (size_t)n)
        (void)usleep(100);
    int status = 1;
    (void)waitpid(pid, &status, 0);
    EXPECT_EQ(0, status);
    EXPECT_EQ(BYTES, total);
    (void)close(ends[0]);
}
