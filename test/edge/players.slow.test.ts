import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { connect, type PlayerConnection } from '../../src/host/player.js'
import { echo, joinPlayers, openPageOnNode, startPlayers } from '../host/players/players-support.js'
import { describeUnless } from '../support/describe-unless.js'
import { freePort } from '../support/free-port.js'
import { missing, openTls, startBackend, startEdge, type RunningEdge } from './edge-support.js'
import { until } from '../support/until.js'

/** `ws` that accepts the test's own certificate. */
class TrustingWebSocket extends WebSocket {
  constructor(url: string, protocols?: string[]) {
    super(url, protocols, { rejectUnauthorized: false, headers: { 'x-forwarded-for': '203.0.113.66' } })
    this.on('error', () => undefined)
  }
}

const join = (url: string): WebSocket => {
  const socket = new TrustingWebSocket(url)
  onTestFinished(() => socket.terminate())
  return socket
}

/** A page that sends each message back, behind an edge that leads to its server alone. */
async function startEchoBehindEdge(): Promise<{ edge: RunningEdge; url: string }> {
  const stage = await startPlayers()
  echo(await openPageOnNode(stage))
  const { port } = stage.players
  const edge = await startEdge(['127.0.0.1/32'], [port, port])
  return { edge, url: `${edge.url}/127.0.0.1/${port}/` }
}

describeUnless(missing, 'players of an edge', () => {
  test('reach the game with the path and query as they sent them', async () => {
    const port = await freePort()
    const edge = await startEdge(['127.0.0.0/8'], [port - 10, port])
    const lines = await startBackend('127.0.0.1', port)
    const targets = ['', '?name=Ada', 'a/b.c/?x=..&y=%2F..%2f&z=/../', '/a', '%41;b=(1)', '...', '.well-known/x']
    for (const target of targets) join(`${edge.url}/127.0.0.1/${port}/${target}`)
    await until(() => expect([...lines].sort()).toEqual(targets.map((target) => `GET /${target} HTTP/1.1`).sort()))
  })

  test('get a connection by connect({ edge }), and the game sees their address, which they can’t choose', async () => {
    const stage = await startPlayers({ trustProxy: ['127.0.0.0/8'] })
    const page = await openPageOnNode(stage)
    const { port } = stage.players
    const edge = await startEdge(['127.0.0.1/32'], [port, port])
    const seen: string[] = []
    page.connections.onconnection = (socket) => {
      seen.push(`${socket.remoteAddress} ${socket.url}`)
      socket.onmessage = ({ data }) => socket.send(data as string)
    }
    const to = { edge: edge.url.slice('wss://'.length), address: '127.0.0.1', port, path: '/?name=Ada' }
    const connection: PlayerConnection = connect(to, { WebSocket: TrustingWebSocket })
    onTestFinished(() => connection.close())
    const came = new Promise((resolve) => connection.addEventListener('message', ({ data }) => resolve(data)))
    connection.addEventListener('open', () => connection.send('hello'))
    expect(await came).toBe('hello')
    // The player's lie is gone; a proxy in front of the host may tell any address.
    await joinPlayers(stage, '/?direct', { headers: { 'x-forwarded-for': '203.0.113.66' } })
    await until(() => expect(seen).toEqual(['127.0.0.1 /?name=Ada', '203.0.113.66 /?direct']))
    expect(connection.url).toBe(`${edge.url}/127.0.0.1/${port}/?name=Ada`)
    expect(edge.output()).not.toContain('name=Ada')
  })

  test('stay connected while the renewed certificate is loaded, which new players get', async () => {
    const { edge, url } = await startEchoBehindEdge()
    const players = Array.from({ length: 200 }, () => join(url))
    await Promise.all(players.map((player) => once(player, 'open')))
    let isRenewed = false
    const answered = players.map(async (player) => {
      for (let count = 0; !isRenewed; count++) {
        player.send(`${count}`)
        const [data] = (await once(player, 'message')) as [Buffer]
        if (data.toString() !== `${count}`) return `${data.toString()} instead of ${count}`
      }
      return 'all'
    })
    const cert = await edge.renew()
    await until(() => expect(edge.output()).toContain('edge: reloaded'))
    await until(async () => {
      const socket = await openTls(edge.port)
      const { raw } = socket.getPeerCertificate()
      socket.destroy()
      expect(cert.replace(/\s|-----[A-Z ]+-----/g, '')).toBe(raw.toString('base64'))
    })
    isRenewed = true
    expect(new Set(await Promise.all(answered))).toEqual(new Set(['all']))
    expect(players.every(({ readyState }) => readyState === WebSocket.OPEN)).toBe(true)
  })

  test('leave no query in the log, even if their server is gone or breaks the connection', async () => {
    const port = await freePort()
    const edge = await startEdge(['127.0.0.1/32'], [port, port])
    const dial = (): Promise<unknown> =>
      new Promise((resolve) => join(`${edge.url}/127.0.0.1/${port}/?ticket=secret`).on('close', resolve))
    await dial()
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    onTestFinished(() => void server.close())
    await once(server.listen(port, '127.0.0.1'), 'listening')
    await dial()
    await until(() => expect(edge.output().match(/ 502 127/g)).toHaveLength(2))
    expect(edge.output()).not.toContain('secret')
  })

  test('keep their connection to a pod that ends, which then takes no others', async () => {
    const { edge, url } = await startEchoBehindEdge()
    const player = join(url)
    await once(player, 'open')
    const stopped = edge.stop()
    await until(() =>
      expect(openTls(edge.port).then((socket) => void socket.destroy())).rejects.toThrow('ECONNREFUSED'),
    )
    player.send('still here')
    expect(String((await once(player, 'message'))[0])).toBe('still here')
    player.close()
    expect(await stopped).toBe(0)
  })
})

test.each([
  [{ edge: 'https://play.example.com' }],
  [{ edge: 'play.example.com', address: 'node-1.example.com' }],
  [{ edge: 'play.example.com', port: undefined as never }],
  [{ path: '?ticket=1' }],
])('connect() refuses %j at once, without a ticket in the message', (given) => {
  const call = (): unknown => connect({ address: '10.0.0.7', port: 7012, ...given }, { WebSocket })
  expect(call).toThrow(expect.objectContaining({ name: 'TypeError', code: 'CONFIG' }) as Error)
  expect(call).not.toThrow('ticket')
})

test('connect() puts an IPv6 address into brackets', () => {
  const connection = connect(
    { address: '2001:db8::7', port: 7012, path: '/?name=Ada' },
    { WebSocket: TrustingWebSocket },
  )
  connection.close()
  expect(connection.url).toBe('ws://[2001:db8::7]:7012/?name=Ada')
})
