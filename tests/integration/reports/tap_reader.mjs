// Reads TAP 14 strictly, subtests and all, with the parser of the format's author, and prints
// what it concluded: passed or failed, the number of tests, and any complaint.
//
//     node tap_reader.mjs NODE_MODULES <report.tap
import { createRequire } from "node:module";
import { join } from "node:path";

const { Parser } = createRequire(join(process.argv[2], "x"))("tap-parser");
const parser = new Parser({ strict: true });
const complaints = [];
for (const event of ["extra", "bailout"]) {
  parser.on(event, (text) => complaints.push(`${event}: ${String(text).slice(0, 200)}`));
}
parser.on("child", function listen(child) {
  child.on("child", listen);
  child.on("extra", (text) => complaints.push(`extra: ${String(text).slice(0, 200)}`));
});
parser.on("complete", (results) => {
  console.log(results.ok ? "passed" : "failed");
  console.log(results.count);
  for (const failure of results.failures) {
    if (failure.tapError) complaints.push(`problem: ${JSON.stringify(failure.tapError)}`);
  }
  complaints.forEach((text) => console.log(text));
});
process.stdin.pipe(parser);
