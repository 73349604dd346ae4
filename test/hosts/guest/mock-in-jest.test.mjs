import { createClient } from 'gameserver-sidecar'
import { createMock } from 'gameserver-sidecar/mock'

/** An ES module has no global of this name. */
const { jest } = import.meta

let mock, client

beforeEach(() => {
  mock = createMock()
  client = createClient(mock.options)
})

afterEach(() => {
  client.close()
  mock.close()
})

test('an allocation gives the game its mode', async () => {
  const modes = []
  client.on('label', ({ key, value }) => key === 'mode' && modes.push(value))
  await client.ready()
  await mock.advance(1000)
  expect(mock.gameServer.status.state).toBe('Ready')
  mock.allocate({ labels: { 'agones.dev/sdk-mode': 'dm' } })
  await mock.advance(0)
  expect(modes).toEqual(['dm'])
  expect(client.gameServer.status.state).toBe('Allocated')
})

test('fake timers of the runner change nothing', async () => {
  jest.useFakeTimers()
  const other = createMock()
  const player = createClient({ ...other.options, watch: 'stream' })
  player.on('gameserver', () => undefined)
  await player.ready()
  await other.advance(60_000)
  expect(player.gameServer.status.state).toBe('Unhealthy')
  player.close()
  other.close()
  jest.useRealTimers()
})
