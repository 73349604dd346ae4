/** What a command costs beside the same request made by hand with fetch: one after the other, in turns. */
import { createClient } from '../dist/index.js'
import { answered, freePort, startLocalSidecar } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'A command beside raw fetch'

const JSON_TYPE = { 'content-type': 'application/json' }
const BATCH = 20

/** What somebody would write instead: the request, the check of its status, the answer parsed. */
async function raw(url, method, body) {
  const init = body === undefined ? { method } : { method, headers: JSON_TYPE, body: JSON.stringify(body) }
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

const commands = (client, url) => ({
  health: [() => client.health(), () => raw(`${url}/health`, 'POST', {})],
  setLabel: [
    () => client.setLabel('round', '7'),
    () => raw(`${url}/metadata/label`, 'PUT', { key: 'round', value: '7' }),
  ],
  getGameServer: [() => client.getGameServer(), () => raw(`${url}/gameserver`, 'GET')],
})

async function timeBatch(call, times) {
  for (let i = 0; i < BATCH; i++) {
    const start = performance.now()
    await call()
    times.push(performance.now() - start)
  }
}

export async function measure({ quick }) {
  const batches = quick ? 20 : 150
  const sidecar = startLocalSidecar(await freePort(), '--mode', 'local')
  const client = createClient({ baseUrl: sidecar.url })
  try {
    await answered(sidecar.url, sidecar)
    const rows = []
    for (const [name, [ours, theirs]] of Object.entries(commands(client, sidecar.url))) {
      rows.push({ command: name, ...(await compare(ours, theirs, batches)) })
    }
    return rows
  } finally {
    client.close()
    await sidecar.end()
  }
}

async function compare(ours, theirs, batches) {
  const warmUp = []
  for (let i = 0; i < batches / 5; i++) {
    await timeBatch(ours, warmUp)
    await timeBatch(theirs, warmUp)
  }
  const times = { ours: [], theirs: [] }
  for (let i = 0; i < batches; i++) {
    // Each goes first every other time, so that neither always finds what the other left behind.
    const turns =
      i % 2 === 0
        ? [
            [ours, times.ours],
            [theirs, times.theirs],
          ]
        : [
            [theirs, times.theirs],
            [ours, times.ours],
          ]
    for (const [call, into] of turns) await timeBatch(call, into)
  }
  return {
    'client, median ms': round(median(times.ours), 3),
    'fetch, median ms': round(median(times.theirs), 3),
    'client, p95 ms': round(quantile(times.ours, 0.95), 3),
    'fetch, p95 ms': round(quantile(times.theirs, 0.95), 3),
    'ratio of medians': round(median(times.ours) / median(times.theirs), 3),
  }
}
