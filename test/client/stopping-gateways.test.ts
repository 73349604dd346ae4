import { expect, onTestFinished, test } from 'vitest'
import { observe } from '../faults/observe.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { sending } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

/** The signals that are told where the watch ends with this error after its first object. */
async function signalsOf(code: number, message: string): Promise<string[]> {
  const first = sending([gameServer(1)], async (exchange) => {
    await exchange.sendText(JSON.stringify({ error: { code, message } }))
    await exchange.end()
  })
  const sidecar = await startScripted([
    { on: 'watch', nth: 1, step: first },
    { on: 'watch', step: sending([gameServer(2)]) },
  ])
  const { client, seen } = observe({ baseUrl: sidecar.url, watch: 'stream', verifyInterval: 0, random: () => 0 })
  onTestFinished(() => client.close())
  const signals: string[] = []
  client.on('signal', ({ signal }) => void signals.push(signal))
  await seen(2)
  return signals
}

const stopping = (signal: string): string => `The gateway is stopping (${signal})`

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGBREAK', 'SIGUSR1', 'SIGUSR2'])(
  'a gateway that is told to stop by %s says so to the game',
  async (signal) => {
    expect(await signalsOf(14, stopping(signal))).toEqual([signal])
  },
)

test.each([
  ['no signal', 14, stopping('weekend')],
  ['what only begins as one', 14, stopping('SIGTERMINAL')],
  ['what only ends as one', 14, stopping('XSIGTERM')],
  ['a signal that does not exist', 14, stopping('SIGUSR3')],
  ['a signal without the gateway', 14, 'SIGTERM'],
  ['a signal with more behind it', 14, `${stopping('SIGTERM')}, or not`],
  ['an error of another kind', 2, stopping('SIGTERM')],
])('the game is told of no signal where the watch ends with %s', async (_what, code, message) => {
  expect(await signalsOf(code, message)).toEqual([])
})
