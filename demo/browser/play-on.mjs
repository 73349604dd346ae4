import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReport } from '../report.mjs'
import { PLAYERS_TO_START, startGameServer } from './game-server.mjs'

/** So long a result can be read before the next game server takes the place of this one. */
const RESULT_MS = 6_000

/** Match after match for whoever opens the pages, each with a new sidecar, as a Fleet would have them. */
export async function playOn({ dir, relay, port, seconds, signal }) {
  let server
  const aborted = once(signal, 'abort')
  const keys = createInterface({ input: process.stdin })
  keys.on('line', () => server?.allocate())
  try {
    for (let round = 1; !signal.aborted; round += 1) {
      const { onNews, ended } = createRound()
      server = await startGameServer({ dir, port: server?.port ?? port, playersPort: relay.port, seconds, onNews })
      relay.admit(server.url)
      if (round === 1) explain(server.url, relay.url)
      await Promise.race([ended, aborted])
      await sleep(RESULT_MS, undefined, { signal }).catch(() => {})
      await server.close()
      if (!signal.aborted) console.log('\nThe GameServer is gone, and a new one takes its place, as in a Fleet.\n')
    }
  } finally {
    keys.close()
  }
}

/** Prints the news of one game server; `ended` resolves when there is nothing more to come of it. */
function createRound() {
  const report = createReport()
  let onEnded
  const ended = new Promise((resolve) => {
    onEnded = resolve
  })
  return {
    ended,
    onNews(news) {
      report.news(news)
      if (['Shutdown', 'Unhealthy'].includes(news.state)) onEnded()
    },
  }
}

function explain(serverUrl, playersUrl) {
  console.log(`
  The game server is a page:  ${serverUrl}
  Players join from others:   ${playersUrl}

  Open both. As soon as ${PLAYERS_TO_START} players are there, the platform allocates the server and the match begins;
  Enter allocates it with fewer. Ctrl+C ends the demo.
`)
}
