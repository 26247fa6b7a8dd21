// Assesses a document in Firefox, as people do: sign in, select with the mouse, highlight, set the best
// entry point, finish. It reads {url, user, password, topic, document, first, last} as JSON from its
// argument, and prints {browser, selected, said}.
import puppeteer from "puppeteer-core";

const { firefox, url, user, password, topic, document: id, first, last } = JSON.parse(process.argv[2]);
const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: firefox,
  headless: true,
  args: ["--no-remote"],
  extraPrefsFirefox: { "app.update.enabled": false, "network.captive-portal-service.enabled": false },
});
const said = [];
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewport({ width: 1400, height: 900 });
  page.on("pageerror", (error) => said.push(String(error)));
  await page.goto(`${url}/login`);
  await page.locator("input[name=name]").fill(user);
  await page.locator("input[name=password]").fill(password);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);

  await page.goto(`${url}/article?${new URLSearchParams({ topic, doc: id })}`);
  await page.waitForSelector("dx-document");
  const place = (text, at) =>
    page.evaluate(
      (text, at) => {
        const root = document.querySelector("dx-document");
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const start = node.data.indexOf(text);
          if (start < 0) continue;
          const range = document.createRange();
          range.setStart(node, start + at);
          range.setEnd(node, start + at + 1);
          const { left, right, top, bottom } = range.getClientRects()[0];
          return { left, right, middle: (top + bottom) / 2 };
        }
        throw new Error(`not there: ${text}`);
      },
      text,
      at,
    );
  const both = async () => [await place(first, 0), await place(last, last.length - 1)];
  // The page gets its layout bit by bit: wait until the text stands where it stood before.
  let [from, to] = await both();
  for (let before = ""; before !== JSON.stringify([from, to]); [from, to] = await both()) {
    before = JSON.stringify([from, to]);
    await new Promise((done) => setTimeout(done, 500));
  }
  await page.mouse.move(from.left + 0.5, from.middle);
  await page.mouse.down();
  await page.mouse.move(to.right - 0.5, to.middle, { steps: 4 });
  await page.mouse.up();
  const selected = await page.evaluate(() => String(getSelection()));
  const saved = () => page.waitForSelector(".saving[data-state=saved]");
  await page.keyboard.press("h");
  await saved();
  await page.mouse.click(from.left + 0.5, from.middle);
  await page.keyboard.press("b");
  await saved();
  await page.keyboard.press("n");
  await page.waitForFunction((id) => !location.search.includes(`doc=${id}`), {}, id);
  console.log(JSON.stringify({ browser: await browser.version(), selected, said }));
} finally {
  await browser.close();
}
