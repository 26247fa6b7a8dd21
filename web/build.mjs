// Bundles the scripts and styles of each page into the package: node build.mjs [DIRECTORY]
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../src/doxeval/reports/assets");

/** The folder of the package that a bundled file belongs to; undefined for our own files. */
function packageOf(path) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  return found?.[1];
}

/** Name, version and licence of a package, with the words of its licence file. */
function notice(folder) {
  const facts = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  const file = readdirSync(join(here, folder)).find((name) => /^licen[cs]e/i.test(name));
  const words = file ? readFileSync(join(here, folder, file), "utf8").trim() : "";
  const lines = words.split(/\r?\n/).map((line) => line.trimEnd());
  return [`${facts.name} ${facts.version} (${facts.license})`, "", ...lines].join("\n");
}

function licences(inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  const head = "Other people's work inside report.js, each under its own licence.\n";
  return [head, ...folders.map(notice)].join(`\n${"-".repeat(72)}\n\n`) + "\n";
}

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  metafile: true,
  charset: "utf8",
  legalComments: "none", // they are in LICENSES.txt
  logLevel: "warning",
  write: false,
};
const script = await build({
  ...common,
  entryPoints: ["src/report/main.ts"],
  format: "iife",
  platform: "browser",
  target: ["es2022"],
});
const style = await build({
  ...common,
  entryPoints: ["src/report/report.css"],
  target: ["chrome115", "firefox115", "safari16.4"],
});
mkdirSync(target, { recursive: true });
const text = script.outputFiles[0].text;
// The page carries the script inline, where these would end it or hide its end.
const trouble = /<(\/script|script|!--)/i.exec(text);
if (trouble) throw new Error(`the bundle contains ${trouble[0]}, which cannot stand in a page`);
writeFileSync(join(target, "report.js"), text);
writeFileSync(join(target, "report.css"), style.outputFiles[0].text);
writeFileSync(join(target, "LICENSES.txt"), licences(Object.keys(script.metafile.inputs)));
