import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Server } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createLineLog } from '../../http/line-log.js'
import { listen, urlHost } from '../../http/listen-address.js'
import { answerRaw } from '../../http/raw-response.js'
import { tokensMatch } from '../../http/token.js'
import { WITH_CHANNEL } from '../../../relay/signals.js'
import { MOST_BATCH_BYTES } from '../../../relay/frame.js'
import { PageSocket } from './page-socket.js'
import { createPlayerListener } from './player-listener.js'
import type { PlayerRefusal, Players } from './players.js'
import { checkOrigins, resolveLimits } from './players-options.js'
import type { PlayersOptions } from './players-options.js'
import { Relay, STOPPING } from './relay.js'
import { loadNative } from './webrtc/native.js'
import { createWebRtc } from './webrtc/webrtc.js'
import type { WebRtc } from './webrtc/webrtc.js'

/** A message in more fragments costs many times its size. */
const MOST_FRAGMENTS = 1_024
const RESTARTING: PlayerRefusal = { code: 1012, reason: 'The game restarts' }
const FAILED: PlayerRefusal = { code: 1011, reason: 'The game server has failed' }
/** Time that `close()` waits for players to answer their close frames. */
const CLOSE_MS = 1_000

/**
 * Opens the public listener for players, and resolves when it listens.
 *
 * @throws TypeError for an entry of `origins` that is no origin
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 * @throws HostError MISSING_PEER
 */
export async function createPlayers(options: PlayersOptions = {}): Promise<Players> {
  const limits = resolveLimits(options)
  const origins = options.origins === undefined ? undefined : checkOrigins(options.origins)
  const { port = 0, host = '127.0.0.1', tls, probeInterval = 20_000 } = options
  const { onPlayer = () => undefined, onFault = () => undefined, mayStartAgain = () => true } = options
  const { WebSocketServer } = await import('ws')
  const common = { noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false } as const
  const log = createLineLog(options.onLog)
  // It may not be there, so nothing is opened before.
  const native = options.webrtc && (await loadNative())
  let webRtc: WebRtc | undefined
  const pagePath = `/_/host/${randomBytes(16).toString('base64url')}`

  const relay = new Relay({ limits, page: () => page, onPlayer, log })
  const page = new PageSocket({
    server: new WebSocketServer({ ...common, maxPayload: MOST_BATCH_BYTES }),
    onFrame: (frame) => relay.take(frame),
    onBatch: () => relay.report(),
    onLost() {
      const { code, reason } = relay.isStopping ? STOPPING : mayStartAgain() ? RESTARTING : FAILED
      relay.closeAll(code, reason)
    },
    onFull: (isFull) => relay.setFull(isFull),
    onFault,
  })
  const { server, sockets } = createPlayerListener({
    relay,
    isPageOpen: () => page.isOpen,
    maxPlayers: limits.maxPlayers,
    origins,
    tls,
    probeInterval,
    websockets: new WebSocketServer({
      ...common,
      maxPayload: limits.maxMessage,
      maxFragments: MOST_FRAGMENTS,
      handleProtocols: (offered) =>
        webRtc && offered.has(WITH_CHANNEL)
          ? WITH_CHANNEL
          : ([...offered].find((one) => one !== WITH_CHANNEL) ?? false),
    }),
    webRtc: () => webRtc,
    log,
    onFault,
  })

  let closing: Promise<void> | undefined
  const end = async (): Promise<void> => {
    relay.refuse()
    relay.closeAll(STOPPING.code, STOPPING.reason)
    // The HTTP server's own close() would cut connections whose close frame is on its way.
    Server.prototype.close.call(server)
    await relay.untilEmpty(CLOSE_MS)
    for (const socket of sockets) socket.destroy()
    webRtc?.close()
    page.close()
    relay.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  await listen(server, port, host)
  const { port: actualPort } = server.address() as AddressInfo
  if (options.webrtc && native) {
    try {
      webRtc = await createWebRtc(native, {
        port: actualPort,
        anyPort: port === 0,
        bindAddress: host,
        maxMessage: limits.maxMessage,
        maxPeers: limits.maxPlayers,
        address: options.webrtc.address,
      })
    } catch (error) {
      await end()
      throw error
    }
  }
  return {
    url: `${tls === undefined ? 'ws' : 'wss'}://${urlHost(host)}:${actualPort}`,
    port: actualPort,
    pagePath,
    acceptPage(message: IncomingMessage, socket: Socket, head: Buffer) {
      if (tokensMatch(pagePath, message.url ?? '')) page.accept(message, socket, head)
      else answerRaw(socket, 404, 'The host has no such path\n', { 'content-type': 'text/plain; charset=utf-8' })
    },
    refuse: () => relay.refuse(),
    startAgain() {
      relay.closeAll(RESTARTING.code, RESTARTING.reason)
      page.dismiss()
      relay.admitAgain()
    },
    closeAll: (code, reason) => relay.closeAll(code, reason),
    close: () => (closing ??= end()),
  }
}
