import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { missing, startEdge } from '../edge/edge-support.js'
import { selfSigned } from '../gateway/certificate.js'
import { openPageOnNode, startPlayers, type Stage } from '../host/players/players-support.js'
import { udpSockets } from '../host/support/processes.js'
import { read } from '../support/source.js'
import { inEachBrowser } from './support/each-browser.js'
import { listenHere } from '../support/listen.js'

/** Serves a page with nothing but the script for players. */
async function serveScript(isSecure = false): Promise<string> {
  const script = read('dist/gameserver-sidecar.player.js')
  const answer: RequestListener = (_, reply) =>
    void reply
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><link rel="icon" href="data:,"><script>${script}</script>`)
  const server = isSecure ? createTlsServer(selfSigned(), answer) : createServer(answer)
  return `${isSecure ? 'https' : 'http'}://127.0.0.1:${await listenHere(server)}/`
}

/** Starts a hosted game with data channels. It echoes a message that begins with `u` unreliably, any other reliably. */
async function startGame(playersHost = '127.0.0.1'): Promise<Stage> {
  const stage = await startPlayers({ playersHost, channelAddress: () => Promise.resolve(undefined) })
  const { connections } = await openPageOnNode(stage)
  connections.onconnection = (socket) => {
    socket.onmessage = ({ data }) => {
      if (String(data).startsWith('u')) socket.sendUnreliable(data as string)
      else socket.send(data as string)
    }
  }
  return stage
}

/** Connects players and waits for their channels. Then each sends a message in both ways until both have come back. */
const PLAY = `async (url, players) => {
  const play = async (index) => {
    // A channel gets one attempt, which takes more than the default of 10 s where fifty share a busy core.
    const player = GameServerPlayer.connect(url, { unreliable: true, timeout: 150_000 })
    const came = new Set()
    player.onmessage = ({ data }) => came.add(data)
    while (player.transport !== 'webrtc') await new Promise((then) => setTimeout(then, 20))
    player.send('r' + index)
    while (came.size < 2) {
      // Unreliable messages may be lost.
      player.sendUnreliable('u' + index)
      await new Promise((then) => setTimeout(then, 50))
    }
    return [...came].sort().join()
  }
  return Promise.all(Array.from({ length: players }, (_, index) => play(index)))
}`

/** Firefox offers no loopback candidates, so the game listens at this machine's own address for it. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address

inEachBrowser(({ name, open }) => {
  const address = name === 'Firefox' ? ownAddress : '127.0.0.1'
  if (!address) console.warn(`${name} has no address for data channels here, so their tests are SKIPPED`)

  test.skipIf(!address)('fifty players have their data channels on one UDP port', async () => {
    const players = 50
    const stage = await startGame(address)
    const { run } = await open(await serveScript())
    const came = await run<string[]>(`(${PLAY})('ws://${address}:${stage.players.port}', ${players})`)
    expect(came).toEqual(Array.from({ length: players }, (_, index) => `r${index},u${index}`))
    expect(udpSockets(stage.players.port)).toBe(1)
  })

  // The rest is JavaScript that runs alike in every engine.
  if (name !== 'Chromium') return

  test.skipIf(missing.length > 0)('an https page plays through the edge, and by data channels beside it', async () => {
    const stage = await startGame()
    const { port } = stage.players
    const edge = await startEdge(['127.0.0.0/8'], [port, port])
    const { run } = await open(await serveScript(true))
    const to = JSON.stringify({ edge: new URL(edge.url).host, address: '127.0.0.1', port, path: '/?name=Ada' })
    expect(await run<string[]>(`(${PLAY})(${to}, 3)`)).toEqual(['r0,u0', 'r1,u1', 'r2,u2'])
    expect(stage.changes.every(({ remoteAddress }) => remoteAddress === '127.0.0.1')).toBe(true)
  })
})
