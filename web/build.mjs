// Bundles the scripts and styles of each page into the package: node build.mjs [DIRECTORY]
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
// A given directory gets a folder for each page, as the package has them.
const target = process.argv[2] ?? join(here, "../src/doxeval");
const PAGES = [
  { name: "report", folder: "reports/assets" },
  { name: "assess", folder: "assess/assets" },
];

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

function licences(name, inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  const head = `Other people's work inside ${name}.js, each under its own licence.\n`;
  return `${[head, ...folders.map(notice)].join(`\n${"-".repeat(72)}\n\n`)}\n`;
}

/** Transforms of Vega that no figure has: maps, trees, forces, and the like. They would be an eighth of the script. */
const UNUSED = ["crossfilter", "force", "geo", "hierarchy", "label", "regression", "voronoi", "wordcloud"];
const withoutUnused = {
  name: "without unused transforms",
  setup(bundle) {
    const filter = new RegExp(`^vega-(${UNUSED.join("|")})$`);
    bundle.onResolve({ filter }, ({ path }) => ({ path, namespace: "unused" }));
    bundle.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export {};" }));
  },
};

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

async function bundle({ name, folder }) {
  const script = await build({
    ...common,
    entryPoints: [`src/${name}/main.ts`],
    format: "iife",
    platform: "browser",
    target: ["es2022"],
    plugins: [withoutUnused],
  });
  const style = await build({
    ...common,
    entryPoints: [`src/${name}/${name}.css`],
    target: ["chrome115", "firefox115", "safari16.4"],
  });
  const text = script.outputFiles[0].text;
  // A report carries its script inline, where these would end it or hide its end.
  const trouble = /<(\/script|script|!--)/i.exec(text);
  if (trouble) throw new Error(`the bundle contains ${trouble[0]}, which cannot stand in a page`);
  const place = join(target, folder);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, `${name}.js`), text);
  writeFileSync(join(place, `${name}.css`), style.outputFiles[0].text);
  writeFileSync(join(place, "LICENSES.txt"), licences(name, Object.keys(script.metafile.inputs)));
}

for (const page of PAGES) await bundle(page);
