"use strict";
// The page's script: sorts the table of jobs, and plays solutions. All texts go in as text, none as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const NS = "http://www.w3.org/2000/svg";
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const players = new Map();
  let shown = null; // the player that the fragment is about

  const make = (tag, attributes = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...inside);
    return node;
  };

  const place = (part, where) => {
    const use = document.createElementNS(NS, "use");
    use.setAttribute("href", `#look${data.parts[part][0]}`);
    move(use, where);
    return use;
  };

  const move = (use, where) => {
    const [x, y] = data.places[where];
    use.style.transform = `translate(${x}px,${y}px)`;
    use.dataset.at = `${x},${y}`;
  };

  // The states of a solution: maps from parts to places.
  const statesOf = (job, solution) => {
    let state = new Map();
    const put = (changes) => {
      for (let i = 0; i < changes.length; i += 2) {
        if (changes[i + 1] < 0) state.delete(changes[i]);
        else state.set(changes[i], changes[i + 1]);
      }
    };
    put(job.root);
    return solution.steps.map((changes) => {
      state = new Map(state);
      put(changes);
      return state;
    });
  };

  // An SVG whose layers hold the shapes by tone, those of a later tone above.
  const canvas = (job) => {
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("class", "ps");
    svg.setAttribute("viewBox", job.view.join(" "));
    svg.style.maxWidth = `${Math.max(160, 90 * job.view[2])}px`; // a small board does not fill the page
    const layers = data.tones.map(() => svg.appendChild(document.createElementNS(NS, "g")));
    const drawn = new Map();
    return {
      svg,
      draw(state) {
        for (const [part, use] of drawn) {
          if (state.has(part)) continue;
          drawn.delete(part);
          use.classList.add("out");
          setTimeout(() => use.remove(), still.matches ? 0 : 220);
        }
        for (const [part, where] of state) {
          if (drawn.has(part)) move(drawn.get(part), where);
          else drawn.set(part, layers[data.parts[part][1]].appendChild(place(part, where)));
        }
      },
      blink(parts) {
        for (const part of parts) drawn.get(part)?.classList.add("hint");
      },
      still() {
        for (const use of drawn.values()) use.classList.remove("hint");
      },
    };
  };

  const pictureOf = (job, state) => {
    const small = canvas(job);
    small.svg.setAttribute("aria-hidden", "true");
    small.draw(state);
    return small.svg;
  };

  // What a move changes: the parts that move or come, those that go, and both in words.
  const changesOf = (before, after) => {
    const put = [...after.keys()].filter((part) => before.get(part) !== after.get(part));
    const gone = [...before.keys()].filter((part) => !after.has(part));
    const say = (parts, does) => parts.filter((part) => data.parts[part][2]).map((part) => `${data.parts[part][2]} ${does(part)}`);
    const words = [...say(put, (part) => (before.has(part) ? "moves" : "comes")), ...say(gone, () => "goes")];
    return { put, gone, words: words.length < 5 ? words.join(", ") : "" };
  };

  class Player {
    constructor(box, job) {
      Object.assign(this, { box, job, solution: -1, step: 0, timer: 0, states: [] });
      this.canvas = canvas(job);
      this.canvas.svg.setAttribute("role", "img");
      const button = (label, text, action) =>
        make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
      this.first = button("first state", "|◀", () => this.go(0));
      this.back = button("one step back", "◀", () => this.go(this.step - 1));
      this.playing = button("play", "▶ play", () => this.toggle());
      this.playing.className = "play";
      this.next = button("one step on", "▶", () => this.go(this.step + 1));
      this.last = button("last state", "▶|", () => this.go(this.end));
      this.scrub = make("input", { type: "range", min: 0, "aria-label": "step", oninput: () => this.go(+this.scrub.value) });
      this.speed = make("select", { "aria-label": "speed" });
      for (const [text, wait] of [["slow", 1400], ["normal", 700], ["fast", 250]])
        this.speed.append(make("option", { value: wait }, text));
      this.speed.value = 700;
      this.hinting = button("hint: what moves next", "hint", () => this.hint());
      this.where = make("p", { class: "where", role: "status" });
      this.said = make("p", { class: "said", "aria-live": "polite" }); // what moves, for who does not see it
      this.text = make("p", { class: "text" });
      const controls = [this.first, this.back, this.playing, this.next, this.last, this.scrub, this.speed, this.hinting];
      const keys = make("p", { class: "keys" });
      for (const [key, does] of [["←→", "step"], ["space", "play"], ["↑↓", "solution"], ["Home End", "ends"], ["h", "hint"]])
        keys.append(make("kbd", {}, key), ` ${does}  `);
      const stage = make("div", { class: "stage" }, this.canvas.svg);
      const bar = make("div", { class: "bar", role: "group", "aria-label": "player" }, ...controls);
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `solutions of ${job.name}`);
      this.strip = make("ol", { class: "strip" });
      this.strips = make("details", { class: "strips" }, make("summary", {}, "all states"), this.strip);
      this.strips.addEventListener("toggle", () => this.fillStrip());
      box.append(make("div", {}, stage, bar, this.where, this.said, this.text, keys, this.strips), this.gallery());
      box.classList.toggle("complete", job.whole);
      box.addEventListener("keydown", (event) => this.key(event));
      this.choose(0);
    }

    // The states of the solution side by side, made when they are looked at.
    fillStrip(printed = false) {
      if ((this.strips.open || printed) && this.strip.childElementCount === 0)
        this.strip.append(...this.states.map((state) => make("li", {}, pictureOf(this.job, state))));
    }

    fill() {
      this.fillStrip(true);
      for (const group of this.groups) group.fill();
    }

    // The list of solutions by group; a group's buttons are made when it is opened.
    gallery() {
      const { job } = this;
      const list = make("div", { class: `list${job.thumbs ? " thumbs" : ""}` }, make("h3", {}, job.heading));
      if (job.note) list.append(make("p", { class: "soft" }, job.note));
      this.groups = job.groups.map((label, group) => {
        const inside = make("ol");
        const members = job.solutions.flatMap((solution, number) => (solution.group === group ? [number] : []));
        const details = make("details", {}, make("summary", {}, `${label} (${members.length})`), inside);
        const fill = () => {
          if (inside.childElementCount === 0)
            inside.append(...members.map((number) => make("li", {}, this.choice(number))));
        };
        details.addEventListener("toggle", () => details.open && fill());
        list.append(details);
        return { details, fill, inside };
      });
      return list;
    }

    choice(number) {
      const solution = this.job.solutions[number];
      const button = make("button", { type: "button", onclick: () => this.choose(number) });
      button.dataset.number = number;
      if (this.job.thumbs) button.append(pictureOf(this.job, statesOf(this.job, solution).at(-1)));
      button.append(solution.text.length > 70 ? `${solution.text.slice(0, 69)}…` : solution.text);
      button.setAttribute("aria-label", `solution ${number + 1}: ${solution.text}`);
      return button;
    }

    get end() {
      return this.states.length - 1;
    }

    choose(number, step = this.job.whole ? Infinity : 0) {
      number = Math.max(0, Math.min(number, this.job.solutions.length - 1));
      if (number !== this.solution) {
        this.solution = number;
        this.states = statesOf(this.job, this.job.solutions[number]);
        this.scrub.max = this.end;
        this.text.textContent = this.job.solutions[number].text;
        this.strip.replaceChildren();
        this.fillStrip();
        const group = this.groups[this.job.solutions[number].group];
        group.fill();
        group.details.open = true;
        for (const button of this.box.querySelectorAll(".list button"))
          button.setAttribute("aria-current", String(+button.dataset.number === number));
      }
      this.go(step);
    }

    go(step) {
      const before = this.states[this.step];
      this.step = Math.max(0, Math.min(step, this.end));
      const state = this.states[this.step];
      this.canvas.still();
      this.canvas.draw(state);
      this.scrub.value = this.step;
      this.first.disabled = this.back.disabled = this.step === 0;
      this.next.disabled = this.last.disabled = this.hinting.disabled = this.step === this.end;
      if (this.step === this.end) this.pause();
      const cost = this.job.solutions[this.solution].costs?.[this.step];
      const where = `solution ${this.solution + 1} of ${this.job.solutions.length}, step ${this.step} of ${this.end}`;
      this.where.textContent = cost === undefined ? where : `${where}, cost ${cost}`;
      this.scrub.setAttribute("aria-valuetext", `step ${this.step} of ${this.end}`);
      this.said.textContent = before ? changesOf(before, state).words : "";
      const label = `${this.job.name}, ${this.where.textContent}`;
      this.canvas.svg.setAttribute("aria-label", this.said.textContent ? `${label}: ${this.said.textContent}` : label);
      if (shown === this) remember();
    }

    // What the next move changes blinks: what moves or goes, or else what comes.
    hint() {
      if (this.step === this.end) return;
      this.pause();
      const state = this.states[this.step];
      const next = this.states[this.step + 1];
      const { put, gone, words } = changesOf(state, next);
      const moving = [...gone, ...put].filter((part) => state.has(part));
      if (moving.length === 0) this.canvas.draw(new Map([...state, ...put.map((part) => [part, next.get(part)])]));
      this.canvas.blink(moving.length === 0 ? put : moving);
      this.where.textContent = `hint: ${words || "what blinks"}`;
    }

    toggle() {
      if (this.timer) return this.pause();
      if (this.step === this.end) this.go(0);
      this.playing.textContent = "❚❚ pause";
      this.playing.setAttribute("aria-label", "pause");
      const on = () => {
        this.timer = setTimeout(on, +this.speed.value);
        this.go(this.step + 1);
      };
      this.timer = setTimeout(on, +this.speed.value);
    }

    pause() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.playing.textContent = "▶ play";
      this.playing.setAttribute("aria-label", "play");
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const inList = event.target.closest(".list, select");
      const isButton = event.target.closest("button, summary");
      const actions = {
        ArrowLeft: () => this.go(this.step - 1),
        ArrowRight: () => this.go(this.step + 1),
        Home: () => this.go(0),
        End: () => this.go(this.end),
        h: () => this.hint(),
      };
      if (!inList) {
        actions.ArrowUp = () => this.choose(this.solution - 1);
        actions.ArrowDown = () => this.choose(this.solution + 1);
      }
      if (!isButton) actions[" "] = () => this.toggle();
      if (!(event.key in actions) || event.target.closest("select")) return;
      event.preventDefault();
      actions[event.key]();
    }
  }

  const open = (number) => {
    const box = document.querySelector(`.player[data-job="${number}"]`);
    if (!box) return null;
    if (!players.has(number)) players.set(number, new Player(box, data.jobs[number]));
    return players.get(number);
  };

  const remember = () => {
    const { job, solution, step } = shown;
    const fragment = new URLSearchParams({ job: job.name, solution: solution + 1, step });
    try {
      history.replaceState(null, "", `#${fragment}`);
    } catch {} // inside a notebook there is no address
  };

  const follow = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const details = [...document.querySelectorAll("details.job")].find((each) => each.dataset.name === wanted.get("job"));
    if (!details) return;
    details.open = true;
    const player = open(+details.dataset.job);
    if (player) {
      shown = player;
      player.pause();
      player.choose((+wanted.get("solution") || 1) - 1, wanted.has("step") ? +wanted.get("step") || 0 : undefined);
    }
    details.scrollIntoView({ block: "start" });
  };

  for (const details of document.querySelectorAll("details.job")) {
    const opened = () => {
      if (!details.open) return;
      const player = open(+details.dataset.job);
      if (player && shown === null) shown = player;
    };
    details.addEventListener("toggle", opened);
    details.addEventListener("pointerdown", () => (shown = open(+details.dataset.job) ?? shown));
    details.addEventListener("focusin", () => (shown = open(+details.dataset.job) ?? shown));
    opened();
  }

  for (const heading of document.querySelectorAll("th[aria-sort]")) {
    heading.querySelector("button").addEventListener("click", () => {
      const body = heading.closest("table").tBodies[0];
      const column = heading.cellIndex;
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const each of heading.parentElement.children)
        if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = (a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === "" || y === "") return (x === "") - (y === ""); // what is not known comes last
        const order = isNaN(x) || isNaN(y) ? x.localeCompare(y, undefined, { numeric: true }) : x - y;
        return down ? -order : order;
      };
      body.append(...[...body.rows].sort(compare));
    });
  }

  // Before anything has the focus, the keys that scroll nothing sideways are the player's.
  document.addEventListener("keydown", (event) => {
    if (event.target === document.body && shown && ["ArrowLeft", "ArrowRight", " ", "h"].includes(event.key)) shown.key(event);
  });

  // A printed page shows all solutions of all searches, and all states of the solution that is chosen.
  let closed = [];
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.job")) open(+details.dataset.job)?.fill();
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });

  addEventListener("hashchange", follow);
  follow();
})();
