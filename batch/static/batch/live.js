/* Keeps what a page tells about live jobs up to date. It asks the server every few seconds, as long
   as a job on the page is live and the page can be seen. */
(() => {
  "use strict";

  const board = document.getElementById("batch-live");
  if (!board) {
    return;
  }
  const said = document.getElementById("batch-live-said");
  const button = document.getElementById("batch-live-pause");
  const reload = document.getElementById("batch-live-reload");

  // Whoever asked for less motion sees fewer changes, and each tells as much.
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const pace = () => (calm.matches ? 10000 : 2000);
  const SLOWEST = 60000;
  const SAY_AGAIN = 20000; // a screen reader that hears every step hears nothing else

  let wait = pace();
  let timer = 0;
  let asking = false;
  let paused = false;
  let lastSaid = Date.now();
  const statuses = new Map();
  const shown = new Map(); // what the server said of a cell

  const watched = () => document.querySelectorAll("[data-batch-job]");
  const jobs = () => [...new Set([...watched()].map((cell) => cell.dataset.batchJob))];

  function say(text) {
    if (said.textContent !== text) {
      said.textContent = text;
      lastSaid = Date.now();
    }
  }

  function stop(text) {
    clearTimeout(timer);
    paused = true;
    button.hidden = true;
    reload.hidden = false;
    say(text);
  }

  function put(cell, html) {
    const key = `${cell.dataset.batchJob} ${cell.dataset.batchCell}`;
    if (html !== shown.get(key)) {
      shown.set(key, html);
      // The server escaped all that is text; a document made like this runs no script anyway.
      const made = new DOMParser().parseFromString(html, "text/html");
      cell.replaceWith(...made.body.childNodes);
    }
  }

  function show(answer) {
    const ended = [];
    for (const cell of watched()) {
      const job = answer.jobs[cell.dataset.batchJob];
      if (job) {
        put(cell, job.cells[cell.dataset.batchCell]);
      } else {
        // It is gone: what is shown is the last that was known.
        delete cell.dataset.batchJob;
      }
    }
    const entries = Object.entries(answer.jobs);
    for (const [id, job] of entries) {
      if (!job.live && statuses.get(id) !== job.status) {
        ended.push(`Job ${id} ended as ${job.status}: ${job.said}.`);
      }
      statuses.set(id, job.status);
    }
    if (ended.length) {
      reload.hidden = false;
      say(ended.join(" "));
    } else if (entries.length === 1 && Date.now() - lastSaid > SAY_AGAIN) {
      say(`${entries[0][1].said}.`);
    }
  }

  async function ask() {
    if (asking || paused || document.hidden) {
      return;
    }
    const ids = jobs();
    if (!ids.length) {
      button.hidden = true;
      return;
    }
    asking = true;
    try {
      const query = ids.slice(0, 100).map((id) => id.replaceAll("-", "")).join(".");
      const answer = await fetch(`${board.dataset.address}?jobs=${query}`, {
        headers: { Accept: "application/json" },
        credentials: "same-origin",
        cache: "no-store",
        redirect: "manual", // to the login page, when the session has ended
      });
      if (answer.ok) {
        show(await answer.json());
        wait = pace();
      } else if (answer.type === "opaqueredirect" || (answer.status >= 400 && answer.status < 500)) {
        stop("Updates have stopped: you are logged out, or may not see jobs any more.");
      } else {
        wait = Math.min(2 * wait, SLOWEST);
      }
    } catch {
      wait = Math.min(2 * wait, SLOWEST);
    } finally {
      asking = false;
    }
    plan();
  }

  function plan() {
    clearTimeout(timer);
    if (!paused && !document.hidden) {
      timer = setTimeout(ask, wait);
    }
  }

  button.addEventListener("click", () => {
    paused = !paused;
    button.textContent = paused ? "Resume updates" : "Pause updates";
    if (paused) {
      clearTimeout(timer);
    } else {
      ask();
    }
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) {
      wait = pace();
      ask();
    }
  });

  button.hidden = false;
  plan();
})();
