import assert from 'node:assert/strict'
import { createClient } from 'gameserver-sidecar'
import { createMock } from 'gameserver-sidecar/mock'

describe('a game', () => {
  let mock, client

  beforeEach(() => {
    mock = createMock({ time: 'auto' })
    client = createClient({ ...mock.options, autoHealth: true })
  })

  afterEach(() => {
    client.close()
    mock.close()
  })

  it('is Ready once it has said so', async () => {
    await client.ready()
    const { status } = await client.waitFor('Ready')
    assert.equal(status.state, 'Ready')
  })
})
