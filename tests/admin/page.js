/* A page with just enough of a browser for live.js: time passes when a scenario says so. It prints
   what happened as JSON. The scenario is the first argument, the script's path the second. */
"use strict";
const fs = require("fs");
const [, , scenario, path] = process.argv;

const JOB = "0199aaaa-0000-7000-8000-000000000001";
const listeners = {};
const timers = new Map();
const asked = [];
const said = [];
let now = 0;
let ticket = 0;
let cells = [];
let answers = [];

function cell(html) {
  const [, id, name] = html.match(/data-batch-job="([^"]*)" data-batch-cell="([^"]*)"/) || [];
  const made = { dataset: id ? { batchJob: id, batchCell: name } : {}, outerHTML: html };
  made.replaceWith = (...others) => { cells = cells.flatMap((each) => (each === made ? others : [each])); };
  return made;
}
const marked = (name, text) => `<span data-batch-job="${JOB}" data-batch-cell="${name}">${text}</span>`;
const element = () => ({ hidden: true, textContent: "", addEventListener: (kind, call) => { listeners[kind] = call; } });
const elements = {
  "batch-live": { dataset: { address: "/live/" } },
  "batch-live-said": { get textContent() { return said.at(-1) || ""; }, set textContent(text) { said.push(text); } },
  "batch-live-pause": element(),
  "batch-live-reload": element(),
};
if (scenario === "without a board") delete elements["batch-live"];

globalThis.document = {
  hidden: false,
  getElementById: (id) => elements[id] || null,
  querySelectorAll: () => cells.filter((each) => each.dataset.batchJob),
  addEventListener: (kind, call) => { listeners[kind] = call; },
};
globalThis.window = { matchMedia: () => ({ matches: scenario === "less motion" }) };
globalThis.DOMParser = class { parseFromString(html) { return { body: { childNodes: [cell(html)] } }; } };
globalThis.Date.now = () => now;
globalThis.setTimeout = (call, delay) => { ticket += 1; timers.set(ticket, [now + delay, call]); return ticket; };
globalThis.clearTimeout = (id) => timers.delete(id);
globalThis.fetch = async (address) => {
  asked.push([now, address]);
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  if (answer === "no network") throw new TypeError(answer);
  if (typeof answer === "number") return { ok: false, status: answer, type: answer ? "basic" : "opaqueredirect" };
  return { ok: true, status: 200, type: "basic", json: async () => answer };
};

const told = (live, text, status = live ? "running" : "done") => ({
  jobs: { [JOB]: { live, status, said: text, cells: { progress: live ? marked("progress", text) : text } } },
});

async function pass(seconds) {
  const end = now + 1000 * seconds;
  for (;;) {
    const due = [...timers].filter(([, [at]]) => at <= end).sort((a, b) => a[1][0] - b[1][0])[0];
    if (!due) break;
    timers.delete(due[0]);
    now = due[1][0];
    due[1][1]();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
  now = end;
}

const scenarios = {
  "without a board": async () => { await pass(60); },
  "progress": async () => { answers = [told(true, "1 of 3"), told(true, "2 of 3")]; await pass(5); },
  "an end": async () => { answers = [told(true, "2 of 3"), told(false, "3 of 3")]; await pass(60); },
  "less motion": async () => { answers = [told(true, "1 of 3")]; await pass(25); },
  "a hidden tab": async () => {
    answers = [told(true, "1 of 3")];
    await pass(3);
    document.hidden = true;
    listeners.visibilitychange();
    await pass(600);
    document.hidden = false;
    listeners.visibilitychange();
    await pass(1);
  },
  "a pause": async () => {
    answers = [told(true, "1 of 3")];
    listeners.click();
    await pass(600);
    listeners.click();
    await pass(1);
  },
  "a logout": async () => { answers = [0]; await pass(600); },
  "no permission": async () => { answers = [403]; await pass(600); },
  "trouble": async () => { answers = ["no network", 503, told(true, "1 of 3")]; await pass(17); },
  "a job that is gone": async () => { answers = [{ jobs: {} }]; await pass(60); },
  "a long wait": async () => { answers = [told(true, "1 of 3")]; await pass(90); },
};

(async () => {
  cells = [cell(marked("progress", "0 of 3"))];
  new Function(fs.readFileSync(path, "utf8"))();
  await scenarios[scenario]();
  const { "batch-live-pause": pause, "batch-live-reload": reload } = elements;
  console.log(JSON.stringify({
    asked, said, cells: cells.map((each) => each.outerHTML), pausable: !pause.hidden, reloadable: !reload.hidden,
  }));
})();
