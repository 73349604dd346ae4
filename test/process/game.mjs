// A game server for the tests of signals: runs as its arguments say, and prints its events.
import { createClient } from '../../dist/index.js'

const [url, mode, time] = process.argv.slice(2)
const timeout = Number(time)
const onSignal = {
  save: async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    console.log('saved')
  },
  slow: () => {},
  hang: () => new Promise(() => {}),
  throw: () => {
    throw new Error('could not save')
  },
}[mode]
const logger = { warn: (message) => console.log('warned', message), error: console.error }
const client = createClient({ baseUrl: url, autoHealth: true, processSignals: { onSignal, timeout }, logger })
client.on('signal', ({ signal }) => console.log('signal', signal))
client.on('ending', ({ reason, deadline }) => console.log('ending', reason, deadline <= Date.now() + timeout))
if (mode === 'slow')
  client.on('ending', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2500))
    console.log('saved by ending')
  })
client.on('state', ({ state }) => console.log('state', state))
await client.ready({ confirm: true })
console.log('up')
