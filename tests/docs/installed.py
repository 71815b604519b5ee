"""installed.py - the build as `meson install` leaves it, in a directory of its own."""
import os
import pathlib
import subprocess


class Tree:
    def __init__(self, build, directory):
        self.root = pathlib.Path(directory)
        done = subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--destdir",
                               str(self.root)], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"meson install: {done.stdout}{done.stderr}")

    def find(self, pattern):
        """The one file that matches, or what is wrong."""
        found = sorted(self.root.rglob(pattern))
        assert len(found) == 1, f"expected one '{pattern}' to be installed, found {found}"
        return found[0]

    def env(self):
        """Where pkg-config and the loader find it, although it is not where it says it is."""
        library = self.find("libmakegood.so").parent
        return {"PKG_CONFIG_PATH": str(self.find("makegood.pc").parent),
                "PKG_CONFIG_SYSROOT_DIR": str(self.root),
                "LD_LIBRARY_PATH": os.pathsep.join(
                    filter(None, [str(library), os.environ.get("LD_LIBRARY_PATH")]))}
