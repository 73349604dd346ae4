/** The time of a test with the mock, compared with the same test with a sidecar on a port. */
import { createClient } from '../dist/index.js'
import { createMock } from '../dist/mock.js'
import { createLocalSidecar } from '../dist/node.js'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'Tests with the mock, ms each'

const players = { spec: { lists: { players: { capacity: 10 } } } }

const tests = {
  'createMock() and close()': () => createMock().close(),

  'a lifecycle: ready, allocated, a player joins and leaves, shutdown': async () => {
    const mock = createMock({ gameServer: players })
    const client = createClient({ ...mock.options, autoHealth: true })
    client.on('state', () => {})
    await client.ready()
    await mock.advance(1000)
    mock.allocate({ labels: { mode: 'dm' } })
    await mock.advance(0)
    await client.addListValue('players', 'ann')
    await mock.advance(1000)
    await client.removeListValue('players', 'ann')
    await client.shutdown()
    await mock.advance(1000)
    if (mock.gameServer.status.state !== 'Shutdown') throw new Error(mock.gameServer.status.state)
    client.close()
    mock.close()
  },

  'five seconds of beats': beats(5000),
  'a minute of beats': beats(60_000),
  'an hour of beats': beats(3_600_000),

  'an allocation, waited for in auto time': async () => {
    const mock = createMock({ time: 'auto' })
    const client = createClient(mock.options)
    await client.ready()
    await client.waitFor('Ready')
    client.close()
    mock.close()
  },

  'the same with createLocalSidecar()': async () => {
    const sidecar = await createLocalSidecar()
    const client = createClient({ baseUrl: sidecar.url })
    await client.ready()
    await client.waitFor('Ready')
    client.close()
    await sidecar.close()
  },
}

function beats(ms) {
  return async () => {
    const mock = createMock()
    const client = createClient({ ...mock.options, autoHealth: true })
    await mock.advance(1000)
    const start = performance.now()
    await mock.advance(ms)
    const took = performance.now() - start
    client.close()
    mock.close()
    return took
  }
}

export async function measure({ quick }) {
  const rows = []
  for (const [name, run] of Object.entries(tests)) {
    const times = []
    const rounds = name.includes('hour') || name.includes('Local') ? (quick ? 3 : 10) : quick ? 30 : 300
    for (let i = 0; i < rounds; i++) {
      const start = performance.now()
      const own = await run()
      times.push(own ?? performance.now() - start)
    }
    // The first run includes compiling, as in a test file with one test.
    rows.push({
      test: name,
      first: round(times[0]),
      median: round(median(times)),
      'nine of ten': round(quantile(times, 0.9)),
    })
  }
  return rows
}
