/** Watch events a second and the CPU they cost, beside a raw WebSocket with JSON.parse, from the same source. */
import { end, start } from './support/processes.mjs'
import { median, round } from './support/statistics.mjs'

export const title = 'Watch beside raw ws with JSON.parse'

export async function measure({ quick }) {
  // With fewer events it would be measured how cold the code is.
  const events = quick ? 30_000 : 60_000
  const rounds = quick ? 5 : 9
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
    {
      reader: 'ratio',
      ...summary(
        measured.client.map((result, round) => ratios(result, measured.ws[round])),
        3,
      ),
    },
  ]
}

const summary = (results, digits = 0) => ({
  'events/s': round(median(results.map(({ eventsPerSecond }) => eventsPerSecond)), digits),
  'CPU µs/event': round(median(results.map(({ cpuPerEvent }) => cpuPerEvent)), digits || 1),
})

/** The client beside `ws` in the same round: the load of the machine changes from one to the next. */
const ratios = (a, b) => Object.fromEntries(Object.keys(a).map((key) => [key, a[key] / b[key]]))
