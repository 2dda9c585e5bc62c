// The browser of the tests.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Debian's Chromium, driven by `playwright-core` of these packages. */
export async function chromium(packages) {
  const require = createRequire(join(resolve(packages), "package.json"));
  return require("playwright-core").chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: FLAGS });
}
