/** Watch events a second and the CPU they cost, beside a raw WebSocket with JSON.parse, from the same source. */
import { end, start } from './support/processes.mjs'
import { median, round } from './support/statistics.mjs'

export const title = 'Watch beside raw ws with JSON.parse'

export async function measure({ quick }) {
  const events = quick ? 10_000 : 60_000
  const rounds = quick ? 3 : 9
  const {
    child: source,
    message: { port },
  } = await start('watch-source.mjs', events)
  const kinds = ['client', 'ws']
  const measured = { client: [], ws: [] }
  try {
    for (let i = 0; i < rounds; i++) {
      // A process of its own each time, in turns and turned round: nothing is warmed up by the other.
      for (const kind of i % 2 === 0 ? kinds : [...kinds].reverse()) {
        const { child, message } = await start('watch-reader.mjs', kind, port, events)
        measured[kind].push(message)
        await end(child)
      }
    }
  } finally {
    await end(source)
  }
  const [client, ws] = kinds.map((kind) => summary(measured[kind]))
  return [
    { reader: 'client', ...client },
    { reader: 'ws + JSON.parse', ...ws },
    { reader: 'ratio', ...ratios(client, ws) },
  ]
}

const summary = (results) => ({
  'events/s': Math.round(median(results.map(({ eventsPerSecond }) => eventsPerSecond))),
  'CPU µs/event': round(median(results.map(({ cpuPerEvent }) => cpuPerEvent)), 1),
})

const ratios = (a, b) => Object.fromEntries(Object.keys(a).map((key) => [key, round(a[key] / b[key], 3)]))
