/**
 * The time from createClient() and on() until the watch is connected, compared with a raw fetch followed by a raw ws.
 */
import WebSocket from 'ws'
import { createClient } from '../dist/index.js'
import { createObjectServer } from './support/object-server.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'From createClient() to a connected watch, on loopback'

const ways = {
  'client, websocket': (url) => connectedAfter(createClient({ baseUrl: url, watch: 'websocket' })),
  'client, stream': (url) => connectedAfter(createClient({ baseUrl: url, watch: 'stream' })),
  'raw fetch, then raw ws': async (url) => {
    await (await fetch(`${url}/gameserver`)).json()
    const socket = new WebSocket(url.replace('http', 'ws') + '/watch/gameserver')
    await new Promise((resolve) => socket.once('message', resolve))
    return () => socket.terminate()
  },
}

async function connectedAfter(client) {
  await new Promise((resolve) => {
    client.on('connection', ({ transport }) => transport && resolve())
    client.on('gameserver', () => {})
  })
  return () => client.close()
}

export async function measure({ quick }) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  const server = await createObjectServer()
  try {
    for (let round = 0; round < (quick ? 20 : 100); round++)
      for (const [name, connect] of Object.entries(ways)) {
        const begin = performance.now()
        const close = await connect(server.url)
        times[name].push(performance.now() - begin)
        close()
      }
  } finally {
    await server.close()
  }
  const raw = median(times['raw fetch, then raw ws'])
  return Object.entries(times).map(([way, all]) => ({
    way,
    'first ms': round(all[0], 1),
    'median ms': round(median(all), 2),
    'p95 ms': round(quantile(all, 0.95), 2),
    'ratio of medians': round(median(all) / raw, 2),
  }))
}
