import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from 'gameserver-sidecar'
import { createMock } from 'gameserver-sidecar/mock'

test('a game that sends no beat becomes Unhealthy', async (t) => {
  const mock = createMock()
  const client = createClient(mock.options)
  t.after(() => {
    client.close()
    mock.close()
  })
  await client.ready()
  await mock.advance(1_000)
  assert.equal(mock.gameServer.status.state, 'Ready')
  await mock.advance(20_000)
  assert.equal(mock.gameServer.status.state, 'Unhealthy')
  mock.expect('ready', 1)
})

test('the runner’s own clock may stand still', async (t) => {
  t.mock.timers.enable()
  const mock = createMock()
  const client = createClient({ ...mock.options, autoHealth: true })
  await client.ready()
  await mock.advance(60_000)
  assert.equal(mock.gameServer.status.state, 'Ready')
  client.close()
  mock.close()
})

// Left open on purpose: a mock whose time is its own keeps no process alive.
createClient(createMock().options).on('gameserver', () => undefined)
