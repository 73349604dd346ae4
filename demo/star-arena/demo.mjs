/** `gameserver-sidecar demo`: a page with a match, and the game server that the page shows. All of it is this process. */
import { WebSocketServer } from 'ws'
import { startArena } from './arena.mjs'
import { broadcast, LONGEST_MESSAGE, MOST_PAGES, parse, startPageServer } from './page-server.mjs'

export { startFleetDemo } from '../fleet/lobby.mjs'

const MOST_NEWS = 200

/**
 * Starts the demo and resolves when its page can be opened. A taken port is replaced by a free one.
 *
 * @param options.onNews called with `{ kind, text, at }` for each event
 */
export async function startDemo({ port, seconds = 45, onNews = () => {} } = {}) {
  const site = await startPageServer({ port, files: ['index.html', 'page.css', 'page.js', 'match-view.js'] })
  const { server } = site
  const sockets = new WebSocketServer({
    server,
    maxPayload: LONGEST_MESSAGE,
    verifyClient: ({ req }) => site.isOwn(req),
  })
  const news = []
  const send = (message, options) => broadcast(sockets, message, options)

  function tell(kind, text, details = {}) {
    const item = { kind, text, at: Date.now(), ...details }
    news.push(item)
    if (news.length > MOST_NEWS) news.shift()
    send({ type: 'news', news: [item] })
    onNews(item)
  }

  const arena = await startArena({ seconds, send, tell, isWatched: () => sockets.clients.size > 0 })
  let ids = 0
  sockets.on('connection', (socket) => {
    if (sockets.clients.size > MOST_PAGES) return socket.close(1013, 'Too many pages')
    const visitor = { id: (ids += 1), send: (message) => socket.send(JSON.stringify(message)) }
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => arena.message(visitor, parse(data)))
    socket.on('close', () => arena.left(visitor))
    visitor.send({ type: 'hello', dashboard: arena.dashboard })
    visitor.send({ type: 'news', news })
    arena.opened(visitor)
  })

  return {
    url: site.url,
    port: site.port,
    dashboard: arena.dashboard,
    /** Ends the connections, the game, the client and the sidecar, in this order. */
    async close() {
      for (const socket of sockets.clients) socket.close(1001)
      server.close()
      server.closeAllConnections()
      await arena.close()
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}
