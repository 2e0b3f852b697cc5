/**
 * A page that shows the lanes of a yard, from a key with the scope `observe`.
 *
 *   HOPBARROW_KEY=hbk_... node yardtop.mjs https://yard.internal:7411 8080
 */

import { createServer } from "node:http";
import { Client } from "./client.mjs";

const [yard = "http://127.0.0.1:7411", port = "8080"] = process.argv.slice(2);
const client = new Client(yard);

const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** 0.4 s, 12 s, 3 min, 5 h: one number and one unit, because two are not read. */
export function age(seconds) {
  if (seconds < 1) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** A lane that only has resting loads is not stuck: say when the next one is due (#152). */
export function condition(lane) {
  if (lane.paused) return `paused: ${lane.paused}`;
  if (lane.siding_full) return "siding full, last attempts are held";
  if (lane.waiting === 0 && lane.resting > 0) return `resting, next in ${age(lane.next_due)}`;
  if (lane.oldest > 300) return `oldest due for ${age(lane.oldest)}`;
  return "";
}

function row(lane) {
  const cells = [
    lane.name,
    lane.waiting,
    lane.resting,
    lane.leased,
    lane.siding,
    `${lane.rate_in.toFixed(1)} / ${lane.rate_out.toFixed(1)}`,
    condition(lane),
  ];
  return `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`;
}

async function page() {
  const { lanes, epoch, name } = await client.request("GET", "/v1/lanes");
  const head = ["lane", "waiting", "resting", "leased", "siding", "in / out per s", ""];
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<title>${escape(name)}</title>
<h1>${escape(name)} <small>epoch ${epoch}</small></h1>
<table><tr>${head.map((title) => `<th>${title}</th>`).join("")}</tr>
${lanes.sort((a, b) => b.oldest - a.oldest).map(row).join("\n")}</table>`;
}

createServer(async (request, response) => {
  try {
    const html = await page();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  } catch (error) {
    response.writeHead(502, { "content-type": "text/plain" }).end(`the yard does not answer: ${error.message}\n`);
  }
}).listen(Number(port), "127.0.0.1");
