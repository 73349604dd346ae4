/**
 * The latency that the gateway adds to a command and to a watch event, its throughput, and the cost of 1,000 open
 * watches. The sidecar behind it is a real one if SDK_SERVER names its binary, otherwise the local one.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'
import { gather } from './support/crowd.mjs'
import { requestsPerSecond } from './support/load.mjs'
import { end, start, startSidecar } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'The gateway beside the sidecar alone'

const PREFIX = '/_/sidecar'
const WATCH = '/watch/gameserver'
const JSON_TYPE = { 'content-type': 'application/json' }
const BATCH = 20
const WATCHERS = 1_000

export async function measure({ quick }) {
  const sidecar = await startSidecar()
  let gateway
  try {
    gateway = await start('gateway-process.mjs', sidecar.url)
    const routes = {
      alone: { port: Number(new URL(sidecar.url).port), prefix: '' },
      gateway: { port: gateway.message.port, prefix: PREFIX },
    }
    return [
      ...(await measureCommands(routes, quick ? 20 : 150)),
      ...(await measureEvents(routes, quick ? 100 : 1_000)),
      await measureThroughput(routes, quick ? 3 : 7, quick ? 3_000 : 10_000),
      ...(await measureMemory(gateway.child, routes.gateway)),
    ].map((row) => ({ ...row, sidecar: sidecar.name }))
  } finally {
    if (gateway !== undefined) await end(gateway.child)
    await sidecar.end()
  }
}

/** Sequential requests over a kept connection, in turns. */
async function measureCommands(routes, batches) {
  const commands = {
    health: ['POST', '/health', '{}'],
    setLabel: ['PUT', '/metadata/label', '{"key":"round","value":"7"}'],
    getGameServer: ['GET', '/gameserver', undefined],
  }
  const agent = new Agent({ keepAlive: true })
  const rows = []
  for (const [name, command] of Object.entries(commands)) {
    const times = { alone: [], gateway: [] }
    for (let i = -Math.ceil(batches / 5); i < batches; i++) {
      const turns = i % 2 === 0 ? ['alone', 'gateway'] : ['gateway', 'alone']
      for (const route of turns) {
        for (let n = 0; n < BATCH; n++) {
          const began = performance.now()
          await ask(agent, routes[route], ...command)
          if (i >= 0) times[route].push(performance.now() - began)
        }
      }
    }
    rows.push(row(`${name}, ms`, times, 3))
  }
  agent.destroy()
  return rows
}

const ask = (agent, { port, prefix }, method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { ...JSON_TYPE, 'content-length': body.length }
    const sent = request({ host: '127.0.0.1', port, method, path: prefix + path, headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${method} ${path} was answered with ${answer.statusCode}`))
      answer.resume().once('end', resolve)
    })
    sent.once('error', reject).end(body)
  })

/** The same event, seen by two watchers in one process, of which one is behind the gateway. */
async function measureEvents(routes, events) {
  const rows = []
  for (const [transport, open] of Object.entries({ websocket: openWebSocket, stream: openStream })) {
    const times = { alone: [], gateway: [] }
    const watches = []
    for (const [name, route] of Object.entries(routes)) watches.push({ name, ...(await open(route)) })
    const agent = new Agent({ keepAlive: true })
    for (let i = 0; i < events; i++) {
      const mark = `n${transport}${i}`
      const began = performance.now()
      // Half of the writes go through the gateway, so that neither watcher has an advantage.
      const body = JSON.stringify({ key: 'mark', value: mark })
      const sent = ask(agent, Object.values(routes)[i % 2], 'PUT', '/metadata/label', body)
      await Promise.all(
        watches.map(async ({ name, seen }) => {
          await seen(`"${mark}"`)
          times[name].push(performance.now() - began)
        }),
      )
      await sent
    }
    watches.forEach(({ leave }) => leave())
    agent.destroy()
    const added = times.gateway.map((time, i) => time - times.alone[i])
    rows.push({ ...row(`watch event over ${transport}, ms`, times, 3), added: round(median(added), 3) })
  }
  return rows
}

/** Resolves `seen(mark)` as soon as the received text has the mark. */
function createInbox() {
  let waiting
  return {
    take(text) {
      if (waiting?.mark !== undefined && text.includes(waiting.mark)) waiting.resolve()
    },
    seen: (mark) =>
      new Promise((resolve) => {
        waiting = { mark, resolve }
      }),
  }
}

async function openWebSocket({ port, prefix }) {
  const { take, seen } = createInbox()
  const socket = new WebSocket(`ws://127.0.0.1:${port}${prefix}${WATCH}`, { perMessageDeflate: false })
  socket.on('message', (data) => take(String(data)))
  await once(socket, 'message')
  return { seen, leave: () => socket.terminate() }
}

async function openStream({ port, prefix }) {
  const { take, seen } = createInbox()
  const sent = request({ host: '127.0.0.1', port, path: prefix + WATCH }).end()
  const [answer] = await once(sent, 'response')
  answer
    .setEncoding('utf8')
    .on('data', take)
    .on('error', () => {})
  await once(answer, 'data')
  return { seen, leave: () => sent.destroy() }
}

async function measureThroughput(routes, rounds, requests) {
  const rates = { alone: [], gateway: [] }
  for (let i = -1; i < rounds; i++) {
    for (const [name, { port, prefix }] of Object.entries(routes)) {
      const rate = await requestsPerSecond(port, `${prefix}/gameserver`, requests)
      if (i >= 0) rates[name].push(rate)
    }
  }
  const { alone, gateway } = rates
  return {
    measure: 'GET /gameserver, requests/s',
    alone: Math.round(median(alone)),
    gateway: Math.round(median(gateway)),
    ratio: round(median(gateway) / median(alone)),
  }
}

/** Half of them over WebSocket, half over HTTP. */
async function measureMemory(child, { port, prefix }) {
  const before = await memoryOf(child)
  const crowd = await gather(port, { watchers: WATCHERS, slow: 0, prefix })
  const during = await memoryOf(child)
  if (crowd.gone() > 0) throw new Error(`${crowd.gone()} watchers were sent away, so nothing was measured`)
  crowd.leave()
  const kibibytes = (kind) => ({
    measure: `${kind} of the gateway for each of ${WATCHERS} watches, KiB`,
    gateway: round((during[kind] - before[kind]) / 1024 / WATCHERS, 1),
  })
  return [
    kibibytes('rss'),
    kibibytes('heapUsed'),
    { measure: `rss with ${WATCHERS} watches open, MiB`, gateway: round(during.rss / 1024 / 1024, 1) },
  ]
}

async function memoryOf(child) {
  child.send('memory')
  const [memory] = await once(child, 'message')
  return memory
}

const row = (measure, { alone, gateway }, digits) => ({
  measure,
  alone: round(median(alone), digits),
  gateway: round(median(gateway), digits),
  added: round(median(gateway) - median(alone), digits),
  ratio: round(median(gateway) / median(alone)),
  'p95 alone': round(quantile(alone, 0.95), digits),
  'p95 gateway': round(quantile(gateway, 0.95), digits),
})
