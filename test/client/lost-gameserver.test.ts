import { describe, expect, test } from 'vitest'
import type { SidecarClient, WriteOptions } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

const calls: [string, (client: SidecarClient, options: WriteOptions) => Promise<unknown>][] = [
  ['ready', (client, options) => client.ready(options)],
  ['allocate', (client, options) => client.allocate(options)],
  ['reserve', (client, options) => client.reserve(10, options)],
]

describe.each(['Shutdown', 'Unhealthy'])('a GameServer that becomes %s', (state) => {
  test.each(calls)(`%s({ confirm }) rejects at once when the watch shows ${state}`, async (operation, call) => {
    const sidecar = await startScripted()
    sidecar.publish(gameServer(1, 'Scheduled'))
    const client = connectClient(sidecar, { verifyInterval: 0 })
    await client.waitFor('Scheduled')
    await sidecar.until(() => sidecar.followers > 0, 'the watch')
    const confirmed = call(client, { confirm: true, timeout: 3000 })
    await sidecar.until(() => sidecar.requests.some(({ path }) => path === `/${operation}`), 'the write')
    sidecar.publish(gameServer(2, state))
    const message: unknown = expect.stringContaining(state)
    await expect(confirmed).rejects.toMatchObject({ code: 'UNAVAILABLE', operation, message })
  })
})
