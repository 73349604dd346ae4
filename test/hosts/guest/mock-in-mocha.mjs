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

  it('becomes Ready again after a reservation', async () => {
    await client.reserve(600, { confirm: true })
    const since = mock.now
    await client.waitFor('Ready')
    assert.ok(mock.now - since > 590_000)
  })

  it('is told of a request that the sidecar does not know', async () => {
    const other = createMock()
    await assert.rejects(other.options.fetch(`${other.options.baseUrl}/redy`, { method: 'POST' }), /nearest is POST/)
    assert.throws(() => other.close(), /POST \/redy is no operation/)
  })
})
