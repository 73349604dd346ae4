import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createGateway, createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar } from '../../src/node/index.js'
import { websocketHeaders } from './support.js'

const WATCHERS = 500
const SLOW = 200

/** A connection that sends this and keeps the last bytes of what comes back. */
function open(port: number, text: string): { readonly socket: Socket; saw(text: string): Promise<void> } {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  let seen = ''
  socket.on('data', (chunk) => {
    seen = (seen + chunk.toString('latin1')).slice(-4_000)
    socket.emit('seen')
  })
  socket.write(text)
  const saw = (expected: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (seen.includes(expected)) resolve()
      }
      socket.on('seen', check)
      check()
    })
  return { socket, saw }
}

interface Served {
  readonly port: number
  readonly prefix: string
  readonly local: LocalSidecar
}

const servers: Record<string, () => Promise<Served>> = {
  async 'the local sidecar'() {
    const local = await createLocalSidecar({ mode: 'local' })
    onTestFinished(() => local.close())
    return { port: local.port, prefix: '', local }
  },
  async 'the gateway'() {
    const gateway = await createGateway({ local: { mode: 'local' } })
    onTestFinished(() => gateway.close())
    return { port: gateway.port, prefix: '/_/sidecar', local: gateway.local! }
  },
}

const names = Object.keys(servers)

test.each(names)('1,000 watchers of %s and 200 slow clients keep nobody out and lose nothing', async (name) => {
  const { port, prefix, local } = await servers[name]!()
  const head = `GET ${prefix}/watch/gameserver HTTP/1.1\r\nHost: localhost\r\n`
  const upgrade = `${websocketHeaders.join('\r\n')}\r\n`
  const watchers = [
    ...Array.from({ length: WATCHERS }, () => open(port, `${head}\r\n`)),
    ...Array.from({ length: WATCHERS }, () => open(port, `${head}${upgrade}\r\n`)),
  ]
  await Promise.all(watchers.map((watcher) => watcher.saw('"state":"Ready"')))

  const slow = Array.from({ length: SLOW }, (_, i) =>
    open(port, `POST ${prefix}/ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n${i % 2 ? '\r\n{' : ''}`),
  )
  const { status } = await fetch(`http://127.0.0.1:${port}${prefix}/allocate`, { method: 'POST', body: '{}' })
  expect(status).toBe(200)
  await Promise.all(watchers.map((watcher) => watcher.saw('"state":"Allocated"')))
  expect([...watchers, ...slow].filter(({ socket }) => socket.destroyed)).toEqual([])
  expect(local.sidecar.snapshot().watchers.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(0)
})
