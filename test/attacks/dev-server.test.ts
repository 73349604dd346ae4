import { expect, test } from 'vitest'
import { startFakeSidecar } from '../gateway/support.js'
import { websocketHeaders } from '../node/support.js'
import { dev } from '../vite/support.js'
import { filled, refused, served } from './support/strangers.js'
import { ask } from '../support/wire.js'

const at = (path: string): string => `/_/sidecar${path}`

/** Vite's server with the plugin, before a sidecar that records what it gets. */
async function start() {
  const upstream = await startFakeSidecar()
  const { url } = await dev({ sidecar: upstream.url })
  return { upstream, port: Number(new URL(url).port) }
}

test("Vite's server refuses strangers the sidecar, as the gateway does", async () => {
  const { upstream, port } = await start()
  for (const [, what, ...headers] of refused) {
    const own = filled(headers, port)
    for (const line of [`GET ${at('/gameserver')}`, `POST ${at('/shutdown')}`]) {
      expect((await ask(port, line, own)).status, what).toBeGreaterThanOrEqual(400)
    }
    for (const path of ['/watch/gameserver', '/shutdown?method=POST']) {
      const answer = await ask(port, `GET ${at(path)}`, [...own, ...websocketHeaders])
      expect(answer.status, what).toBeGreaterThanOrEqual(400)
    }
  }
  expect(upstream.asked).toEqual([])
  // Vite's own list of hosts is case-sensitive.
  for (const [what, ...headers] of served.filter(([, host]) => host !== 'Host: LocalHost:PORT')) {
    expect((await ask(port, `GET ${at('/gameserver')}`, filled(headers, port))).status, what).toBe(200)
  }
})
