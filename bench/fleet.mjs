/**
 * A Fleet on this machine: from the command to five Ready servers, the memory of one more server without its process, the
 * time of an allocation among 20 servers, and allocations a second among 50.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as readAll } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createFleet } from '../dist/node.js'
import { end, root } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'A Fleet'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const READY = 5
const MORE = 20
const GOALS = { readyMs: 2_000, serverMB: 3, allocationMs: 3, perSecond: 300 }

export async function measure({ quick }) {
  const starts = []
  for (let i = 0; i < (quick ? 3 : 9); i++) starts.push(await measureStart())
  const memory = await measureMemory()
  const times = await withFleet(20, (fleet) => measureAllocations(fleet, quick ? 5 : 25))
  const rates = await withFleet(50, (fleet) => measureRate(fleet, quick ? 600 : 3_000))
  const row = (measure, value, goal, p95) => ({ measure, median: value, p95, goal })
  return [
    row(
      `from the command to ${READY} Ready, ms`,
      round(median(starts), 0),
      GOALS.readyMs,
      round(quantile(starts, 0.95), 0),
    ),
    row('a server more, without its process, MB', round(memory), GOALS.serverMB),
    row(
      'an allocation among 20, over HTTP, ms',
      round(median(times)),
      GOALS.allocationMs,
      round(quantile(times, 0.95)),
    ),
    row('allocations among 50, a second', Math.round(rates), GOALS.perSecond),
  ]
}

/** Milliseconds from the start of the command until the last of its servers is Ready. */
async function measureStart() {
  const began = performance.now()
  const game = ['--', process.execPath, join(root, 'test', 'fleet', 'program.mjs')]
  const flags = ['--replicas', READY, '--port', 0, '--players-port', '7100-7200', '--log-format', 'json'].map(String)
  const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'fleet', ...flags, ...game], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let ready = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/"type":"state".* → Ready/.test(line)) continue
    ready += 1
    if (ready === READY) break
  }
  const ms = performance.now() - began
  await end(child)
  return ms
}

/** A Fleet whose programs only wait, so that the figures are the Fleet's. */
const idleFleet = (replicas) =>
  createFleet({
    command: ['sleep', '1000000'],
    ...{ replicas, max: 100, ports: [7_200, 7_400], grace: 1_000, onEvent: () => undefined },
    fleet: { metadata: { name: 'idle' }, spec: { template: { spec: { health: { disabled: true } } } } },
  })

const agent = new Agent({ keepAlive: true })

/** Posts by Node's own client, since `fetch` takes more time than the Fleet. */
export const post = async (url, body, headers) => {
  const asked = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } })
  asked.end(JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  const text = await readAll(answer)
  if (answer.statusCode >= 300) throw new Error(text)
  return JSON.parse(text)
}

export async function withFleet(replicas, work) {
  const fleet = await idleFleet(replicas)
  try {
    await untilRunning(fleet, replicas)
    for (const server of fleet.snapshot().servers) await post(`${server.process.sidecarUrl}/ready`, {})
    await fleet.ready(replicas)
    return await work(fleet)
  } finally {
    await fleet.close()
  }
}

async function untilRunning(fleet, count) {
  const isThere = () => fleet.snapshot().servers.filter(({ process }) => process.state === 'running').length >= count
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function measureMemory() {
  const fleet = await idleFleet(1)
  try {
    await untilRunning(fleet, 1)
    const before = held()
    fleet.perform({ type: 'scale', replicas: 1 + MORE })
    await untilRunning(fleet, 1 + MORE)
    return (held() - before) / MORE / 1e6
  } finally {
    await fleet.close()
  }
}

function held() {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const addressOf = (fleet) => `${fleet.url}/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations`
const allocation = (state) => ({
  apiVersion: 'allocation.agones.dev/v1',
  kind: 'GameServerAllocation',
  spec: { selectors: [{ matchLabels: { 'agones.dev/fleet': 'idle' }, gameServerState: state }] },
})

async function measureAllocations(fleet, rounds) {
  const times = []
  for (let i = 0; i < rounds; i++) {
    for (let j = fleet.snapshot().servers.length; j > 0; j--) {
      const began = performance.now()
      const { status } = await post(addressOf(fleet), allocation('Ready'))
      times.push(performance.now() - began)
      if (status.state !== 'Allocated') throw new Error(`An allocation was ${status.state}`)
    }
    for (const {
      process: { sidecarUrl },
    } of fleet.snapshot().servers) {
      await post(`${sidecarUrl}/_/api/commands`, { type: 'setState', state: 'Ready' }, { 'x-sidecar-control': '1' })
    }
  }
  return times
}

/** Allocations a second of eight clients at once, each of a server that is Allocated already, as with rooms. */
async function measureRate(fleet, count) {
  for (let i = fleet.snapshot().servers.length; i > 0; i--) await post(addressOf(fleet), allocation('Ready'))
  const began = performance.now()
  let left = count
  const client = async () => {
    while (left-- > 0) await post(addressOf(fleet), allocation('Allocated'))
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return count / ((performance.now() - began) / 1000)
}
