import { createInterface } from 'node:readline'
import { keepCompany } from './company.mjs'
import { createReport } from './report.mjs'
import { PLAYERS_TO_START, startGameServer } from './game-server.mjs'

/** Bots that join a lonely player, after some time in which a second person could join. */
const BOTS = ['Ada', 'Grace']
const ALONE_MS = 5_000

/**
 * Runs match after match for visitors of the players' page, each on a new game server, as in a Fleet.
 *
 * @throws Error if a game server ends before it was Ready, since the next one would end too
 */
export async function playOn({ site, signal, ...options }) {
  let server
  const keys = createInterface({ input: process.stdin })
  keys.on('line', () => server?.allocate())
  try {
    for (let round = 1; !signal.aborted; round += 1) {
      let wasReady = false
      let endCompany = () => {}
      let onReady
      const ready = new Promise((resolve) => {
        onReady = resolve
      })
      const report = createReport()
      const onNews = (news) => {
        report.news(news)
        if (news.state !== 'Ready') return
        wasReady = true
        onReady()
        if (round === 1) explain(site.url)
      }
      server = await startGameServer({ ...options, site, onNews })
      const { playersUrl } = server
      void ready.then(() => {
        const how = { aloneMs: ALONE_MS, origin: site.origin }
        endCompany = keepCompany(playersUrl, BOTS, how)
      })
      const stop = () => void server.close(signal.reason.signal)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
      const { code, reason } = await server.ended
      endCompany()
      signal.removeEventListener('abort', stop)
      if (signal.aborted) return
      if (!wasReady) {
        const exitCode = code || 1
        throw Object.assign(new Error(`The game server has ended before it was Ready. ${reason}.`), { exitCode })
      }
      const how = code === 0 ? 'is gone' : `has failed with exit code ${code}`
      console.log(`\nThe GameServer ${how}, and a new one takes its place, as in a Fleet.\n`)
    }
  } finally {
    keys.close()
  }
}

function explain(url) {
  console.log(`
  The game server is a page in a headless browser. Players join at:  ${url}

  As soon as ${PLAYERS_TO_START} players are there, the platform allocates the server and the match begins; bots come to
  who waits alone for ${ALONE_MS / 1000} s. Enter allocates it at once. Ctrl+C ends the demo.
`)
}
