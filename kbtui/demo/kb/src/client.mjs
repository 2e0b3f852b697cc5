/**
 * The JavaScript client of a Hopbarrow yard: pushing, and a small carrier.
 *
 * Requests that got no answer are repeated here. Loads that failed are not: when a load is tried
 * again, and after how long, is decided by the yard alone (issue #179).
 */

import { readFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";

const LATE_MS = 2000;

/** The attempt has failed. `fatal` sends the load to the siding at once. */
export class Fail extends Error {
  constructor(reason, { fatal = false, retryAfter = undefined } = {}) {
    super(reason);
    this.name = "Fail";
    this.fatal = fatal;
    this.retryAfter = retryAfter;
  }
}

/** The yard answered with something other than 2xx. */
export class YardError extends Error {
  constructor(status, body) {
    super(`${status}: ${body.error ?? "no reason given"}`);
    this.name = "YardError";
    this.status = status;
    this.body = body;
  }
}

export class Client {
  #base;
  #keyFile;
  #key;

  constructor(base, { keyFile } = {}) {
    this.#base = base.replace(/\/+$/, "");
    this.#keyFile = keyFile;
  }

  /** Push a load; resolves when it is on the yard's disk. */
  async push(lane, body, { dedup, orderKey, fairKey, delay } = {}) {
    const waybill = { dedup, order_key: orderKey, fair_key: fairKey };
    return this.request("POST", `/v1/lanes/${encodeURIComponent(lane)}/loads`, { body, waybill, delay });
  }

  /** Send one request; a 401 makes it read the key file again, once, so that keys can be rotated. */
  async request(method, path, payload, { signal } = {}) {
    for (const fresh of [false, true]) {
      const response = await fetch(this.#base + path, {
        method,
        signal,
        headers: { "content-type": "application/json", ...(await this.#authorization(fresh)) },
        body: payload === undefined ? undefined : JSON.stringify(payload),
      });
      const body = await response.json().catch(() => ({}));
      if (response.ok) return body;
      if (response.status !== 401 || fresh || !this.#keyFile) throw new YardError(response.status, body);
    }
  }

  async #authorization(fresh) {
    if (this.#keyFile && (fresh || this.#key === undefined)) {
      this.#key = (await readFile(this.#keyFile, "utf8")).trim();
    }
    const key = this.#key ?? process.env.HOPBARROW_KEY;
    return key ? { authorization: `Bearer ${key}` } : {};
  }
}

export class Carrier {
  #client;
  #handlers = new Map();
  #held = new Map();
  #slots;
  #stopping = new AbortController();
  #delay = monitorEventLoopDelay({ resolution: 50 });

  constructor(client, { slots = 4 } = {}) {
    this.#client = client;
    this.#slots = slots;
  }

  /** Register an async handler for a lane. */
  handles(lane, handler) {
    this.#handlers.set(lane, handler);
    return this;
  }

  /** Pull and work until `stop()`; resolves when the last handler has ended. */
  async run() {
    this.#delay.enable();
    const heart = setInterval(() => this.#beat(), 5000);
    const running = new Set();
    while (!this.#stopping.signal.aborted) {
      const free = this.#slots - running.size;
      if (free === 0) {
        await Promise.race(running);
        continue;
      }
      for (const load of await this.#pull(free)) {
        const work = this.#work(load).finally(() => running.delete(work));
        running.add(work);
      }
    }
    await Promise.allSettled(running);
    clearInterval(heart);
    this.#delay.disable();
  }

  /** Stop pulling. */
  stop() {
    this.#stopping.abort();
  }

  async #pull(slots) {
    const lanes = [...this.#handlers.keys()].sort();
    try {
      const answer = await this.#client.request("POST", "/v1/pull", { lanes, slots, wait: 30 }, { signal: this.#stopping.signal });
      return answer.loads;
    } catch (error) {
      if (this.#stopping.signal.aborted) return [];
      console.warn(`pull: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return [];
    }
  }

  async #work(load) {
    this.#held.set(load.lease, performance.now() + load.expires_in * 1000);
    let report;
    try {
      await this.#handlers.get(load.lane)(load);
      report = ["done", {}];
    } catch (error) {
      const { fatal = false, retryAfter } = error instanceof Fail ? error : {};
      report = ["fail", { reason: String(error.message).slice(0, 500), fatal, retry_after: retryAfter }];
    }
    const expiry = this.#held.get(load.lease);
    this.#held.delete(load.lease);
    if (performance.now() > expiry) {
      console.warn(`load ${load.id}: lease expired, result discarded`);
      return;
    }
    await this.#client.request("POST", `/v1/leases/${load.lease}/${report[0]}`, report[1]);
  }

  async #beat() {
    const late = this.#delay.max / 1e6;
    this.#delay.reset();
    if (late > LATE_MS) console.warn(`heartbeat late by ${(late / 1000).toFixed(1)} s: something blocks the event loop`);
    if (this.#held.size === 0) return;
    const { renewed } = await this.#client.request("POST", "/v1/leases/renew", { leases: [...this.#held.keys()] });
    for (const { lease, expires_in } of renewed) {
      if (this.#held.has(lease)) this.#held.set(lease, performance.now() + expires_in * 1000);
    }
  }
}
