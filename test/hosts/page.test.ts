import { expect, test } from 'vitest'
import { calls, untilLogged } from '../support/with-sidecar.js'
import { chromium, showPage } from './support/chromium.js'
import { servePages } from './support/page-server.js'
import { startSidecar } from './support/sidecar.js'

const guarantee = test.skipIf(chromium === undefined)
const client = 'dist/gameserver-sidecar.umd.min.js'

guarantee.each(['websocket', 'stream'])('a page in Chromium, allowed by its origin, whose watch is a %s', async (watch) => {
  const pages = await servePages({ '/': 'test/hosts/guest/page.html', '/client.js': client })
  await using sidecar = await startSidecar({ mode: 'production', allowOrigins: [pages.origin] })
  pages.setSidecar(sidecar.url)
  expect(await showPage(`${pages.origin}/?watch=${watch}`, pages.told)).toEqual({
    name: 'arena-1',
    states: ['Scheduled', 'RequestReady', 'Ready'],
    label: 'hafen',
    counter: '3/10',
    counterEvent: 3,
    transport: watch,
    beats: [true, true, true, true],
    workers: [1, 0],
    connections: ['closed', 'closed'],
    lastBeat: true,
  })
  expect(calls(sidecar).filter((operation) => operation === 'health').length).toBeGreaterThanOrEqual(4)
  // The page is still there: what ended its watch is close().
  await untilLogged(sidecar, () => sidecar.sidecar.snapshot().watchers.length === 0)
}, 60_000)

guarantee('a page in Chromium of an origin that is not allowed reads nothing, changes nothing and is told why', async () => {
  const pages = await servePages({ '/': 'test/hosts/guest/stranger-page.html', '/client.js': client })
  await using sidecar = await startSidecar({ allowOrigins: ['http://127.0.0.1:1'] })
  pages.setSidecar(sidecar.url)
  expect(await showPage(`${pages.origin}/`, pages.told)).toEqual({
    codes: {
      connect: 'CROSS_ORIGIN',
      getGameServer: 'CROSS_ORIGIN',
      getCounter: 'CROSS_ORIGIN',
      shutdown: 'CROSS_ORIGIN',
      event: 'CROSS_ORIGIN',
    },
    watched: [],
    connection: 'connecting',
  })
  expect(sidecar.sidecar.log.entries().map(({ event }) => event.type)).not.toContain('call')
  expect(sidecar.sidecar.snapshot().watchers).toEqual([])
}, 60_000)
